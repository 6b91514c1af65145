// SPDX-License-Identifier: MIT
//
// Session: what one run holds while it measures: the plan, the evidence so far, the record being
// written, and which subjects and cells have dropped out. The parent's other parts act on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/judge/judge.hpp"
#include "assay/record/reader.hpp"
#include "assay/record/writer.hpp"
#include "assay/run/generated.hpp"
#include "assay/wire/messages.hpp"

namespace assay::run {

// What a progress line is made from.
struct ProgressState {
  std::string stage;  // "describing", "calibrating", "measuring"
  std::int64_t trial = 0;
  std::int64_t last_look = 0;  // trials that the plan allows
  std::size_t cells_done = 0;  // in this trial
  std::size_t cells_open = 0;  // of this trial
  std::size_t decided = 0;
  std::size_t comparisons = 0;
  double left_at_most_s = 0;  // until the last look or the end of the budget, whichever comes first
  std::string cell;
};

struct Hooks {
  std::function<bool()> interrupted = [] {
    return false;
  };  // asked often; true: stop and close the record
  std::function<void(const ProgressState&)> progress = [](const ProgressState&) {};
  // Waits before something that failed is tried again.
  std::function<void(std::chrono::milliseconds)> pause = [](std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
  };
};

// How a step of the run ended.
enum class Step {
  done,
  worker_lost,  // the processes of this trial are gone; the failure is recorded and its cause has
                // dropped out
  interrupted,
  budget_spent,
  hopeless,  // no worker can be started any more
};

class Session {
 public:
  Session(record::Writer writer, record::Evidence evidence, Hooks hooks);

  const experiment::Plan& plan() const noexcept { return evidence.plan; }
  const experiment::Protocol& protocol() const noexcept { return evidence.plan.protocol; }

  // A key of its own for each named purpose, from the plan's seed.
  std::uint64_t key(std::initializer_list<std::string_view> names) const;

  // Subjects of the cell that are still measured, baseline first; empty if the baseline has dropped
  // out.
  std::vector<experiment::SubjectId> live_subjects(std::size_t cell) const;
  // Keeps the failure, on disk too; its subject, or without one the cell, takes no further part.
  void fail(experiment::Failure failure, std::int64_t trial, std::size_t cell);
  // A failure of no particular cell.
  void fail(experiment::Failure failure, std::int64_t trial);
  // Keeps the results, on disk too. Who did not pass takes no further part in the problem's cells
  // of that case (adversarial: in any of the problem's cells).
  void keep_checks(const std::vector<experiment::CheckResult>& results, const std::string& build);

  // Adds the row and, with flush(), writes what has been added since.
  void add(record::Sample sample);
  void flush();
  void add(record::Trial trial);
  void add(record::CommandRun run);  // written by flush(), before the samples, as the next one
  // What the device did in the sample that was added last; written by flush(), before the samples.
  void add_kernels(const std::vector<wire::KernelRuns>& kernels);
  // Of missing values the evidence keeps the reasons alone, as the file does: a result is the same
  // from either.
  void add(record::TelemetryRow row);
  void add(record::StartupRow row);  // written by flush(), before the samples
  // Whether a timed output of each live subject of the cell has been checked.
  bool has_timed_checks(std::size_t cell) const;

  bool budget_is_spent() const;
  double budget_left_s() const;
  // Until the budget is spent, or until the last look at the pace of the trials so far.
  double left_at_most_s(std::int64_t trial) const;
  // The first trial of this run begins.
  void begin_trials(std::int64_t first);

  record::Writer writer;
  record::Evidence evidence;
  Hooks hooks;
  GeneratedCode generated;
  std::uint32_t next_process = 0;
  bool asks_canaries = true;
  std::int64_t started_ns = 0;
  double budget_s = 0;
  std::set<std::size_t> checked_timed;  // cells of which timed outputs have been checked

 private:
  bool is_out(const experiment::Cell& cell, const experiment::SubjectId& subject) const;

  std::set<std::pair<std::string, std::string>>
      out_;  // (cell id, SubjectId::text(); "" for the whole cell)
  std::size_t rows_written_ = 0;
  std::size_t telemetry_written_ = 0;
  std::size_t startup_written_ = 0;
  std::vector<record::CommandRun> runs_to_write_;
  std::vector<record::KernelRuns> kernels_to_write_;
  std::int64_t first_trial_ = 0;
  std::int64_t trials_began_ns_ = 0;
};

}  // namespace assay::run
