// SPDX-License-Identifier: MIT
//
// The tables of a record that is being written, together: what the others have of each sample, and
// what they must have. Internal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/record/kernels.hpp"
#include "assay/record/startup_table.hpp"
#include "assay/record/tables.hpp"
#include "assay/record/telemetry_table.hpp"

namespace assay::record {

using Process = std::pair<std::int64_t, std::int64_t>;  // trial and process
// Process, cell, phase, block; and with the position a row.
using Block = std::tuple<std::int64_t, std::int64_t, std::string, Phase, std::int64_t>;
using Place = std::pair<Block, std::int64_t>;

template <typename Row>
Block block_of(const Row& row) {
  return {row.trial, row.process,
          row.problem + "/" + row.case_id + "/" + row.state + "/" + row.boundary, row.phase,
          row.block};
}
Block block_of(const Sample& row, const Dictionary& names);

// A boundary that only commands have: their runs are told of in command-runs.csv.
inline constexpr std::string_view command_boundary = "command";

struct Tables {
  SampleTable samples;
  std::vector<Trial> trials;
  std::vector<KernelRuns> kernels;
  std::vector<CommandRun> command_runs;
  std::vector<TelemetryRow> telemetry;
  std::vector<StartupRow> startup;
};

// Those that are there, without a half row at the end. Throws Error{bad_input}.
Tables read_tables(const std::filesystem::path& data);

std::set<Process> processes_with_rows(const std::vector<Trial>& trials);

// What the other tables have of samples, and whether that is all that they must have. The tables
// must outlive it.
class RowsOfSamples {
 public:
  explicit RowsOfSamples(const Tables& tables);

  // The table that has nothing of the sample although its timer or its boundary demands it; nullptr
  // if there is none.
  const char* table_without(std::size_t sample) const;
  // Nor may anything of it be missing that is written before it.
  bool has_all_of(std::size_t sample) const;

 private:
  const Tables* tables_;
  std::map<std::uint64_t, std::vector<const KernelRuns*>> kernels_;
  std::set<Place> runs_;
  std::set<Place> told_;
  std::map<Process, std::size_t> phases_;
};

// What of an unsealed record was lost in another way than by the end of a process that wrote it, a
// sentence each: a file that every such record has, rows of samples of a process that trials.csv
// tells of. Nothing brings them back. Throws Error{bad_input} for a table that cannot be read.
std::vector<std::string> lost_of(const std::filesystem::path& data);

}  // namespace assay::record
