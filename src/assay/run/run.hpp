// SPDX-License-Identifier: MIT
//
// The parent: from an experiment to a sealed record. It owns the order, the limits and the files,
// never links user code and never opens a device.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/experiment/experiment.hpp"
#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"
#include "assay/run/session.hpp"

namespace assay::run {

struct Options {
  std::filesystem::path records = "records";  // where the record's directory is made
  std::string device = "cpu";  // "cpu", "fake:SCRIPT.json"; resume(): empty for the record's own
  std::optional<double> budget_s;  // instead of the plan's
  std::string command_line;        // for environment.json
  Hooks hooks;
  // The HTML page of the finished record, written into it before it is sealed.
  std::function<std::string(const record::Record&, const judge::Result&)> html_page;
};

struct Outcome {
  std::filesystem::path record;
  judge::Result result;
  experiment::Plan plan;
  bool is_sealed = false;
  double wall_s = 0;
};

// Plans, seals the plan, checks, calibrates, measures until every comparison is decided, its last
// look is reached or the budget is spent, judges, and seals the record. What goes wrong with
// workers and subjects is in the record; throws Error for a bad experiment (before anything is
// written) and for a record that cannot be written (what was written stays).
Outcome run(const experiment::Experiment& experiment, const Options& options);

// Goes on with an interrupted record, in the same order. Throws Error{bad_input} if it is sealed,
// or if a program or the machine is not the one that it was begun with. Options::budget_s is the
// time from now on.
Outcome resume(const std::filesystem::path& record, const Options& options);

// What a run would do.
struct DryRun {
  bool is_interrupted = false;  // by the user: then nothing else is known
  experiment::Plan plan;
  std::int64_t processes_at_least = 0;
  std::int64_t processes_at_most = 0;
  double seconds_at_least = 0;  // to the first look
  double seconds_at_most = 0;   // to the last look, or the budget if that is less
};
DryRun dry_run(const experiment::Experiment& experiment, const Options& options);

}  // namespace assay::run
