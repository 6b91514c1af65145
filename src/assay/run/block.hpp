// SPDX-License-Identifier: MIT
//
// One block: one sample of each given subject in the given order, across builds, written to the
// record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/run/crew.hpp"

namespace assay::run {

// A subject as it is ordered: the control is the baseline's code under another name.
struct Contender {
  std::size_t build = 0;  // index in Plan::builds
  std::string name;       // the subject's, or "control"
};

struct BlockRequest {
  std::size_t cell = 0;
  record::Phase phase = record::Phase::measure;
  std::int64_t block = 0;
  std::int64_t iterations = 1;
  std::uint64_t content_key = 0;
  bool keep_outputs = false;
  std::uint32_t first_position = 0;  // of its samples
  // In calibration: a sample without time says that more calls are needed, and is no failure.
  bool may_be_too_short = false;
};

inline constexpr const char* too_short = "too-short";

struct BlockOutcome {
  Step step = Step::done;
  // Time of one call per contender, beside `order`; missing where the subject failed, which is
  // recorded, or as too_short, where that was allowed.
  std::vector<Reading<double>> call_ns;
  std::optional<MemoryUse> memory;           // of the only contender, in calibration
  std::vector<experiment::Launch> launches;  // of all contenders, each once
};

// Runs the block. Every sample is on disk when it returns.
BlockOutcome run_block(Session& session, Crew& crew, const BlockRequest& request,
                       const std::vector<Contender>& order);

// Prepares the cell in every build that has a live subject in it. Subjects whose preparation fails
// drop out. only: not all live subjects, but these (of one build, where two have the same).
struct PreparedCell {
  Step step = Step::done;
  Reading<std::int64_t> max_iterations = Missing{"none", "as many as the sample needs"};
  std::optional<Rotation> rotation;  // of a cell that rotates
  // Of subjects that are given as source, by SubjectId::text().
  std::map<std::string, experiment::Launch> source_launches = {};
};
PreparedCell prepare_cell(Session& session, Crew& crew, std::size_t cell,
                          const std::vector<std::string>& only = {});

// The live subjects of the cell and, last, the control; empty if the cell cannot be measured any
// more.
std::vector<Contender> contenders(const Session& session, std::size_t cell);

// Asks every build that has live subjects in the cell for a check of this kind and keeps the
// results. only: as of prepare_cell.
Step check_cell(Session& session, Crew& crew, std::size_t cell, const std::string& kind,
                std::uint64_t content_key, const std::vector<std::string>& only = {});

}  // namespace assay::run
