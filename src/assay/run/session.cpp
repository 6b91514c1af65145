// SPDX-License-Identifier: MIT
#include "assay/run/session.hpp"

#include <algorithm>

#include "assay/base/random.hpp"
#include "assay/base/time.hpp"

namespace assay::run {

using experiment::Cell;
using experiment::CheckResult;
using experiment::Failure;
using experiment::SubjectId;

namespace {

// Texts come from subjects too: what is kept can be read on a terminal, and is not without end.
std::string readable(const std::string& text) {
  constexpr std::size_t most_bytes = 2000;
  std::string result;
  for (const char c : text.substr(0, most_bytes)) {
    const bool is_control = (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 0x7f;
    result += is_control ? '?' : c;
  }
  return text.size() > most_bytes ? result + " …" : result;
}

}  // namespace

Session::Session(record::Writer open_writer, record::Evidence so_far, Hooks user_hooks)
    : writer(std::move(open_writer)),
      evidence(std::move(so_far)),
      hooks(std::move(user_hooks)),
      started_ns(monotonic_ns()),
      budget_s(evidence.plan.protocol.budget_s),
      rows_written_(evidence.samples.rows.size()),
      telemetry_written_(evidence.telemetry.size()),
      startup_written_(evidence.startup.size()) {
  // A resumed run: what has dropped out stays out, and processes keep their numbers.
  for (const Failure& failure : evidence.checks.failures) {
    if (!failure.cell.empty()) {
      out_.emplace(failure.cell, failure.subject.empty()
                                     ? std::string()
                                     : SubjectId{failure.build, failure.subject}.text());
    }
  }
  for (std::size_t cell = 0; cell < plan().cells.size(); ++cell) {
    if (has_timed_checks(cell)) checked_timed.insert(cell);
  }
  for (const record::Trial& trial : evidence.trials) {
    next_process = std::max(next_process, static_cast<std::uint32_t>(trial.process) + 1);
  }
  for (const record::Sample& row : evidence.samples.rows) {
    next_process = std::max(next_process, row.process + 1);
  }
}

bool Session::has_timed_checks(std::size_t cell) const {
  const Cell& planned = plan().cells[cell];
  // Stopped between two subjects of a cell, or in another state of the case, some are still owed.
  const auto& results = evidence.checks.results;
  return std::all_of(
      planned.subjects.begin(), planned.subjects.end(), [&](const SubjectId& subject) {
        return is_out(planned, subject) ||
               std::any_of(results.begin(), results.end(), [&](const CheckResult& result) {
                 return result.kind == "timed" && result.subject == subject.text() &&
                        result.detail.contains("cell") && result.detail.at("cell") == planned.id();
               });
      });
}

std::uint64_t Session::key(std::initializer_list<std::string_view> names) const {
  return derive_key(protocol().seed, names);
}

bool Session::is_out(const Cell& cell, const SubjectId& subject) const {
  if (out_.contains({cell.id(), ""}) || out_.contains({cell.id(), subject.text()})) return true;
  const std::string case_id = cell.the_case.id();
  return std::any_of(evidence.checks.results.begin(), evidence.checks.results.end(),
                     [&](const CheckResult& result) {
                       return result.kind != "gate-power" && result.applicable && !result.passed &&
                              result.problem == cell.problem &&
                              (result.kind == "adversarial" || result.case_id == case_id) &&
                              result.subject == subject.text();
                     });
}

std::vector<SubjectId> Session::live_subjects(std::size_t index) const {
  const Cell& cell = plan().cells[index];
  std::vector<SubjectId> live;
  for (const SubjectId& subject : cell.subjects) {
    if (!is_out(cell, subject)) {
      live.push_back(subject);
    } else if (live.empty()) {
      return {};  // without its baseline a cell has nothing to compare with
    }
  }
  return live;
}

void Session::fail(Failure failure, std::int64_t trial, std::size_t cell) {
  const Cell& planned = plan().cells[cell];
  failure.trial = trial;
  failure.message = readable(failure.message);
  failure.cell = planned.id();
  if (failure.subject == experiment::control_name) failure.subject = planned.subjects.front().name;
  // The mark is the worker's to write: a name that is none of the cell's blames the cell.
  const bool is_of_cell =
      std::any_of(planned.subjects.begin(), planned.subjects.end(),
                  [&](const SubjectId& subject) { return subject.name == failure.subject; });
  if (!is_of_cell) failure.subject.clear();
  out_.emplace(failure.cell, failure.subject.empty()
                                 ? std::string()
                                 : SubjectId{failure.build, failure.subject}.text());
  evidence.checks.failures.push_back(std::move(failure));
  writer.write_checks(evidence.checks);
}

void Session::fail(Failure failure, std::int64_t trial) {
  failure.trial = trial;
  failure.message = readable(failure.message);
  evidence.checks.failures.push_back(std::move(failure));
  writer.write_checks(evidence.checks);
}

void Session::keep_checks(const std::vector<CheckResult>& results, const std::string& build) {
  for (CheckResult result : results) {
    // Gate-power results name a mutant, not a subject of a build.
    result.reason = readable(result.reason);
    if (result.kind != "gate-power") result.subject = SubjectId{build, result.subject}.text();
    evidence.checks.results.push_back(std::move(result));
  }
  writer.write_checks(evidence.checks);
}

void Session::add(record::Sample sample) { evidence.samples.rows.push_back(sample); }

void Session::flush() {
  // What is about samples first: if this process ends in between, no sample lacks what must be
  // known of it, and what is too many is cut by who resumes.
  writer.append_command_runs(runs_to_write_);
  runs_to_write_.clear();
  writer.append_kernels(kernels_to_write_);
  kernels_to_write_.clear();
  writer.append_telemetry(evidence.telemetry, telemetry_written_);
  telemetry_written_ = evidence.telemetry.size();
  writer.append_startup(evidence.startup, startup_written_);
  startup_written_ = evidence.startup.size();
  writer.append_samples(evidence.samples, rows_written_);
  rows_written_ = evidence.samples.rows.size();
}

void Session::add_kernels(const std::vector<wire::KernelRuns>& kernels) {
  ASSAY_EXPECTS(!evidence.samples.rows.empty());
  for (const wire::KernelRuns& runs : kernels) {
    kernels_to_write_.push_back({evidence.samples.rows.size() - 1, runs.kernel, runs.grid,
                                 runs.threads, runs.begins_ns, runs.durations_ns});
  }
}

void Session::add(record::TelemetryRow row) {
  // The first reading of a record gives its columns.
  const auto& all = evidence.telemetry;
  const auto fields = (all.empty() ? row : all.front()).telemetry.fields();
  row.telemetry = row.telemetry.with_fields(fields);
  for (const Field field : fields) {
    const auto& value = row.telemetry.of(field);
    if (!value) row.telemetry.set(field, Missing{value.missing().reason, ""});
  }
  evidence.telemetry.push_back(std::move(row));
}

// As of telemetry: the file keeps the reasons alone.
void Session::add(record::StartupRow row) {
  if (!row.time) row.time = Missing{row.time.missing().reason, ""};
  evidence.startup.push_back(std::move(row));
}

void Session::add(record::CommandRun run) { runs_to_write_.push_back(std::move(run)); }

void Session::add(record::Trial trial) {
  writer.append_trial(trial);
  evidence.trials.push_back(std::move(trial));
}

double Session::budget_left_s() const {
  return budget_s - static_cast<double>(monotonic_ns() - started_ns) * 1e-9;
}

void Session::begin_trials(std::int64_t first) {
  first_trial_ = first;
  trials_began_ns_ = monotonic_ns();
}

double Session::left_at_most_s(std::int64_t trial) const {
  const std::int64_t done = trial - first_trial_;
  if (done < 1) return budget_left_s();
  const double pace_s =
      static_cast<double>(monotonic_ns() - trials_began_ns_) * 1e-9 / static_cast<double>(done);
  const std::int64_t still_to_come = std::max<std::int64_t>(protocol().looks.back() + 1 - trial, 1);
  return std::min(budget_left_s(), pace_s * static_cast<double>(still_to_come));
}

bool Session::budget_is_spent() const { return budget_left_s() <= 0; }

}  // namespace assay::run
