// SPDX-License-Identifier: MIT
//
// Counters beside the timing: each subject of a sealed record is run again under a tool, in a
// process of its own that nobody times, and what was counted becomes a companion record. Why
// something is faster is told so without disturbing how fast it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/profile/units.hpp"
#include "assay/record/companion.hpp"
#include "assay/record/reader.hpp"

namespace assay::profile {

// Of one process: more would take hours under any tool, whatever the subject.
inline constexpr std::int64_t most_counted_calls = 1'000'000'000;

struct Options {
  std::filesystem::path record;
  std::string tool;
  std::string tool_path;              // empty: found on PATH
  std::vector<std::string> events;    // ToolOptions
  std::vector<std::string> metrics;   // ToolOptions
  std::string replay;                 // ToolOptions
  std::vector<std::string> programs;  // programs_of()
  bool allow_other_program = false;
  Selection selection;
  // Counted in one process, from 1 to most_counted_calls; empty: the tool's choice.
  std::optional<std::int64_t> calls;
  double timeout_s = 600;        // of one process
  std::filesystem::path output;  // where the companion is made; empty: beside the record
  std::string command_line;
  Json environment;  // of this machine, now
  std::function<bool()> interrupted = [] { return false; };
  // Before each run: its number from 1, of how many, and what runs.
  std::function<void(std::size_t, std::size_t, const record::CounterRun&)> progress =
      [](std::size_t, std::size_t, const record::CounterRun&) {};
};

struct Outcome {
  std::filesystem::path companion;  // empty: interrupted before there was anything to keep
  std::size_t counted = 0;          // runs of which at least one counter has a value
  bool was_interrupted = false;
};

// Throws Error for what prevents a companion (a record that is not sealed or was changed, a program
// that is not the one that was timed, a tool that is not there, a device that it cannot count on);
// then nothing is left behind. What goes wrong in a run is in the companion, as missing counters.
// The companion is saved after each run, and sealed after the last.
Outcome profile(const Options& options);

// What differs between a companion's counters and what its raw files say, and between what a run is
// said to be of and what was started, a sentence each.
std::vector<std::string> recomputation_differences(const record::CompanionRecord& companion);

// What a companion says of the record that it is about and the record does not, a sentence each:
// another name, plan, device or program, a subject that no cell has, another baseline. Throws Error
// for a record of which nothing can be counted.
std::vector<std::string> timed_record_differences(const record::CompanionRecord& companion,
                                                  const record::Record& timed);

}  // namespace assay::profile
