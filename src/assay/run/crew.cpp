// SPDX-License-Identifier: MIT
#include "assay/run/crew.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "assay/base/time.hpp"

namespace assay::run {
namespace {

using experiment::Failure;

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// Trials 1 … K each draw another layout, then the drawing starts again, so that after K trials all
// were seen once.
std::int64_t layout_of_trial(const Session& session, std::int64_t trial) {
  const std::int64_t replicates = session.plan().layout_replicates;
  if (replicates <= 1) return 0;
  const std::int64_t round = std::max<std::int64_t>(trial - 1, 0) / replicates;
  const std::int64_t within = std::max<std::int64_t>(trial - 1, 0) % replicates;
  Random random(session.key({"layouts", std::to_string(round)}));
  const auto order = random.permutation(static_cast<std::size_t>(replicates));
  return static_cast<std::int64_t>(order[static_cast<std::size_t>(within)]) + 1;
}

// A runtime for threads that is loaded with the program (OpenMP's) takes the affinity that it finds
// then as the number of its threads, so such a program starts on all cores; the worker itself binds
// for each subject.
bool has_threads(const experiment::Plan& plan) {
  for (const auto& description : plan.descriptions) {
    for (const auto& problem : description.problems) {
      for (const auto& subject : problem.subjects) {
        if (subject.threads != 1) return true;
      }
    }
  }
  return false;
}

// What the baseline put out in trial 0, by case: the reference of all later checks, also after a
// resume.
std::map<std::string, OutputDigest> references_of(const experiment::Plan& plan,
                                                  const record::Checks& checks) {
  std::map<std::string, OutputDigest> references;
  for (const auto& check : checks.results) {
    const bool is_baselines = check.kind == "before" && check.passed && !plan.cells.empty() &&
                              check.subject == plan.cells.front().subjects.front().text() &&
                              check.detail.is_object();
    if (!is_baselines) continue;
    references[check.case_id] = {check.detail.value("sha256", ""),
                                 check.detail.value("bytes", std::uintmax_t{0})};
  }
  return references;
}

}  // namespace

std::filesystem::path program_of_layout(const std::filesystem::path& program, std::int64_t layout) {
  if (layout == 0) return program;
  return program.string() + ".layout-" + std::to_string(layout);
}

Offsets offsets_of_trial(std::uint64_t seed, std::int64_t trial) {
  constexpr std::uint64_t page_bytes = 4096;
  constexpr std::uint64_t heap_step_bytes = 16;  // the alignment of malloc
  const std::string number = std::to_string(trial);
  Offsets offsets;
  offsets.padding_bytes = Random(derive_key(seed, {"padding", number})).next_below(page_bytes);
  offsets.heap_bytes =
      heap_step_bytes *
      Random(derive_key(seed, {"heap", number})).next_below(page_bytes / heap_step_bytes);
  return offsets;
}

std::vector<int> cores_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

std::size_t index_of_build(const experiment::Plan& plan, const std::string& build) {
  const auto found =
      std::find_if(plan.builds.begin(), plan.builds.end(),
                   [&](const experiment::Build& each) { return each.name == build; });
  ASSAY_EXPECTS(found != plan.builds.end());
  return static_cast<std::size_t>(found - plan.builds.begin());
}

Crew::Crew(Session& session, std::int64_t trial, CrewPurpose purpose)
    : session_(&session), trial_(trial), purpose_(std::move(purpose)) {
  if (purpose_.build) first_build_ = *purpose_.build;
}

std::variant<Crew, Step> Crew::start(Session& session, std::int64_t trial,
                                     const CrewPurpose& purpose) {
  // A machine that is short of memory or processes for a moment costs seconds, not the run.
  constexpr std::chrono::milliseconds pauses[] = {std::chrono::milliseconds(50),
                                                  std::chrono::milliseconds(250),
                                                  std::chrono::milliseconds(1000)};
  auto started = start_once(session, trial, purpose);
  for (const auto pause : pauses) {
    const auto* step = std::get_if<Step>(&started);
    if (step == nullptr || *step != Step::hopeless) break;
    // A program that is gone stays so.
    if (session.evidence.checks.failures.back().kind == experiment::failure::missing_program) break;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::duration<double>(std::max(session.budget_left_s(), 0.0)));
    if (left > left.zero()) session.hooks.pause(std::min(pause, left));
    if (session.hooks.interrupted()) return Step::interrupted;
    if (session.budget_is_spent()) return Step::budget_spent;
    started = start_once(session, trial, purpose);
  }
  return started;
}

AnyWorker::Started Crew::start_worker(const experiment::Build& build, std::uint32_t process,
                                      const std::vector<int>& cores) {
  Session& session = *session_;
  const experiment::Plan& plan = session.plan();
  const std::string number = std::to_string(trial_);
  const Offsets offsets = offsets_of_trial(session.protocol().seed, trial_);
  if (plan.is_of_commands()) {
    CommandLaunch launch;
    launch.commands = plan.commands;
    launch.build = build.name;
    launch.directory = build.directory;
    launch.log = session.writer.log_file("commands.log");
    launch.padding_bytes = offsets.padding_bytes;
    launch.timeout_s = session.protocol().timeout_s;
    launch.trial = trial_;
    launch.process = process;
    launch.references = references_of(plan, session.evidence.checks);
    launch.interrupted = session.hooks.interrupted;
    launch.keep = [&session](const record::CommandRun& run) { session.add(run); };
    return AnyWorker::from(CommandWorker::start(std::move(launch)));
  }
  WorkerLaunch launch;
  launch.program = program_of_layout(build.program, layout_);
  launch.build = build.name;
  launch.nonce = hex(session.key({"nonce", number, std::to_string(process)}));
  if (!cores.empty() && !has_threads(plan)) launch.cores = {core_};
  launch.log = session.writer.log_file("workers.log");
  launch.padding_bytes = offsets.padding_bytes;
  launch.heap_bytes = offsets.heap_bytes;
  launch.timeout_s = session.protocol().timeout_s;
  launch.interrupted = session.hooks.interrupted;
  return AnyWorker::from(Worker::start(launch));
}

std::variant<Crew, Step> Crew::start_once(Session& session, std::int64_t trial,
                                          const CrewPurpose& purpose) {
  Crew crew(session, trial, purpose);
  const std::string number = std::to_string(trial);
  const std::vector<int> cores = cores_allowed();
  if (!cores.empty()) {
    crew.core_ = cores[Random(session.key({"core", number})).next_below(cores.size())];
  }
  crew.layout_ = layout_of_trial(session, trial);
  const auto& builds = session.plan().builds;
  for (std::size_t number_of_build = 0; number_of_build < builds.size(); ++number_of_build) {
    if (purpose.build && *purpose.build != number_of_build) continue;
    const experiment::Build& build = builds[number_of_build];
    const std::uint32_t process = session.next_process++;
    record::Trial row;
    row.trial = trial;
    row.process = process;
    row.build = build.name;
    row.layout = crew.layout_;
    row.boundary = purpose.boundary;
    if (!cores.empty()) {
      row.core = static_cast<std::int64_t>(crew.core_);
      row.cores_allowed = static_cast<std::int64_t>(cores.size());
    }
    row.canary_missing = crew.why_no_canaries();
    row.started_utc = utc_now_text();
    row.start_ns = monotonic_ns();

    auto started = crew.start_worker(build, process, cores);
    if (auto* failure = std::get_if<Failure>(&started)) {
      session.fail(*failure, trial);
      crew.abandon(failure->kind);
      return Step::hopeless;
    }
    crew.workers_.push_back(std::move(std::get<AnyWorker>(started)));
    crew.rows_.push_back(std::move(row));

    wire::Describe describe;
    crew.describe_to(describe);
    const auto asked = crew.workers_.back().ask(describe, "describe");
    if (std::holds_alternative<Interrupted>(asked)) {
      crew.abandon(record::outcome::interrupted);
      return Step::interrupted;
    }
    const auto* answer = std::get_if<wire::Answer>(&asked);
    const auto* refused = answer == nullptr ? nullptr : std::get_if<wire::Refused>(answer);
    if (answer == nullptr || refused != nullptr) {
      Failure failure;
      if (refused != nullptr) {
        failure.kind = experiment::failure::exited;
        failure.stage = "describe";
        failure.build = build.name;
        failure.message = "the worker cannot work on its device any more: " + refused->message;
      } else {
        failure = std::get<Failure>(asked);
      }
      session.fail(failure, trial);
      crew.abandon(failure.kind);
      return Step::hopeless;
    }
    if (const auto* own = std::get_if<experiment::ProgramDescription>(answer)) crew.note_step(*own);
  }
  return crew;
}

void Crew::describe_to(wire::Describe& describe) const {
  const experiment::Plan& plan = session_->plan();
  describe.device = plan.device;
  describe.boundary = purpose_.boundary;
  describe.timer = timer();
  // Calibration needs the steps of the timers as this boundary's own processes see them. A process
  // that is to make a first call must not measure anything before it.
  describe.measures = trial_ == 0 && purpose_.subject.empty();
  // What is wanted is that the device is opened; the cases are known, and the worker makes the
  // adversarial ones from them.
  for (const auto& problem : plan.descriptions.front().problems) {
    describe.cases[problem.name] = {};
  }
  for (const auto& cell : plan.cells) {
    auto& cases = describe.cases[cell.problem];
    if (std::find(cases.begin(), cases.end(), cell.the_case) == cases.end()) {
      cases.push_back(cell.the_case);
    }
  }
}

const char* Crew::why_no_canaries() const {
  if (trial_ == 0 || !session_->asks_canaries) return record::canary::not_asked;
  if (session_->plan().is_of_commands()) return record::canary::of_commands;
  if (purpose_.boundary == cold_start_boundary) return record::canary::of_cold_start;
  return record::canary::not_reached;
}

std::string Crew::timer() const {
  const auto& cells = session_->plan().cells;
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const experiment::Cell& cell) {
    return cell.boundary == purpose_.boundary;
  });
  ASSAY_EXPECTS(found != cells.end());
  return found->timer;
}

void Crew::note_step(const experiment::ProgramDescription& description) {
  const std::string name = timer();
  for (const auto& described : description.timers) {
    if (described.name != name) continue;
    const bool is_coarser =
        described.resolution_ns && timer_step_ns_ && *described.resolution_ns > *timer_step_ns_;
    if (!timer_step_ns_ || is_coarser) timer_step_ns_ = described.resolution_ns;
  }
}

Crew::Asked Crew::ask(std::size_t build, const wire::Request& request, const std::string& stage,
                      std::size_t cell) {
  AnyWorker& worker = workers_[build - first_build_];
  auto asked = worker.ask(request, stage);
  const auto blame = [&](Failure failure) {
    if (failure.subject.empty()) failure.subject = purpose_.subject;
    session_->fail(std::move(failure), trial_, cell);
  };
  if (auto* answer = std::get_if<wire::Answer>(&asked)) {
    if (const auto* refused = std::get_if<wire::Refused>(answer)) {
      const bool is_lost = refused->kind == experiment::failure::device_lost;
      // The worker is well; what was asked cannot be done with this subject, or in this cell.
      Failure failure;
      failure.kind =
          is_lost ? experiment::failure::device_lost : experiment::failure::subject_error;
      failure.message = refused->message;
      failure.stage = stage;
      failure.subject = refused->subject;
      failure.build = worker.build();
      blame(std::move(failure));
      if (is_lost) {
        abandon(experiment::failure::device_lost);
        return {Step::worker_lost, std::nullopt};
      }
      return {Step::done, std::nullopt};
    }
    return {Step::done, std::move(*answer)};
  }
  if (auto* failure = std::get_if<Failure>(&asked)) {
    const std::string kind = failure->kind;
    blame(std::move(*failure));
    abandon(kind);
    return {Step::worker_lost, std::nullopt};
  }
  abandon(record::outcome::interrupted);
  return {Step::interrupted, std::nullopt};
}

void Crew::note_not_steady(const std::string& cell_id) {
  for (record::Trial& row : rows_) {
    if (!row.not_steady.empty()) row.not_steady += ';';
    row.not_steady += cell_id;
  }
}

void Crew::write_rows(const std::string& outcome) {
  for (record::Trial& row : rows_) {
    row.end_ns = monotonic_ns();
    row.outcome = outcome;
    session_->add(row);
  }
  rows_.clear();
}

void Crew::end() {
  for (AnyWorker& worker : workers_) {
    const auto ended = worker.end();
    if (const auto* failure = std::get_if<Failure>(&ended)) session_->fail(*failure, trial_);
  }
  workers_.clear();
  write_rows(record::outcome::completed);
}

void Crew::abandon(const std::string& outcome) {
  workers_.clear();
  write_rows(outcome);
}

}  // namespace assay::run
