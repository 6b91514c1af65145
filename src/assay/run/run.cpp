// SPDX-License-Identifier: MIT
#include "assay/run/run.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "assay/base/time.hpp"
#include "assay/env/environment.hpp"
#include "assay/run/build.hpp"
#include "assay/run/calibrate.hpp"
#include "assay/run/crew.hpp"
#include "assay/run/planning.hpp"
#include "assay/run/trial.hpp"

namespace assay::run {
namespace {

constexpr std::uint64_t archive_limit_bytes = std::uint64_t{4}
                                              << 20;  // a source file above this is data

Json environment_json(const Planned& planned, const Options& options) {
  const experiment::Plan& plan = planned.plan;
  Json environment = env::environment_of_this_machine();
  environment["machine_fingerprint"] = env::machine_fingerprint(environment);
  environment["command_line"] = options.command_line;
  Json builds = Json::array();
  for (const auto& command : plan.commands) {
    Json facts = env::binary_facts(command.program);
    facts["build"] = command.name;
    facts["source"] = env::source_revision(plan.builds.front().directory);
    builds.push_back(std::move(facts));
  }
  for (const auto& build : plan.builds) {
    if (plan.is_of_commands()) break;
    Json facts =
        env::binary_facts(program_of_layout(build.program, plan.layout_replicates > 1 ? 1 : 0));
    facts["build"] = build.name;
    facts["source"] = env::source_revision(build.directory);
    const auto libraries = planned.libraries.find(build.name);
    if (libraries != planned.libraries.end()) facts["libraries"] = libraries->second;
    builds.push_back(std::move(facts));
  }
  environment["builds"] = std::move(builds);
  return environment;
}

// Trials until nothing is open any more. `first` > 1 when resumed.
judge::Ending measure(Session& session, std::int64_t first) {
  if (session.evidence.calibration.cells.empty()) {
    const Step step = calibrate(session);
    if (step == Step::interrupted) return judge::Ending::interrupted;
    if (step == Step::budget_spent) return judge::Ending::budget_spent;
    if (step != Step::done)
      return judge::Ending::complete;  // what there is, is judged; the failure says why
  }
  session.begin_trials(first);
  judge::Index index(session.evidence.plan, session.evidence.calibration);
  for (std::int64_t trial = first;; ++trial) {
    index.update(session.evidence.samples);
    const judge::Progress progress = judge::progress(index, session.evidence.checks);
    if (progress.open_cells.empty()) return judge::Ending::complete;
    if (session.plan().quick && trial > session.protocol().looks.front())
      return judge::Ending::complete;
    // Lost trials are made up for, but not for ever.
    if (trial > 2 * session.protocol().looks.back() + session.plan().layout_replicates) {
      return judge::Ending::complete;
    }
    switch (run_trial(session, trial, index, progress)) {
      case Step::interrupted:
        return judge::Ending::interrupted;
      case Step::budget_spent:
        return judge::Ending::budget_spent;
      case Step::hopeless:
        return judge::Ending::complete;
      default:
        break;
    }
  }
}

Outcome finish(Session& session, judge::Ending ending, const Options& options,
               std::int64_t begun_ns) {
  Outcome outcome;
  outcome.record = session.writer.path();
  outcome.plan = session.plan();
  outcome.result = judge::judge(session.evidence, ending);
  if (ending != judge::Ending::interrupted) {
    session.writer.write_checks(session.evidence.checks);
    // An earlier attempt may have got so far and no further: until it is sealed the record is ours.
    session.writer.write_json("result.json", to_json(outcome.result), true);
    if (options.html_page) {
      session.writer.write_text(
          "report.html", options.html_page(record::open(outcome.record), outcome.result), true);
    }
    session.writer.seal({});
    outcome.is_sealed = true;
  }
  outcome.wall_s = static_cast<double>(monotonic_ns() - begun_ns) * 1e-9;
  return outcome;
}

std::string trim_for_name(const std::string& name) {
  std::string trimmed;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    trimmed += plain ? c : '-';
  }
  return trimmed.empty() || trimmed.front() == '.' ? "experiment" + trimmed : trimmed;
}

}  // namespace

Outcome run(const experiment::Experiment& as_written, const Options& options) {
  const std::int64_t begun_ns = monotonic_ns();
  experiment::Experiment experiment = as_written;
  Planned planned;
  planned.interrupted = build_programs(experiment, options.hooks) == Step::interrupted;
  if (!planned.interrupted) planned = make_plan(experiment, options);
  if (planned.interrupted) {
    Outcome outcome;
    outcome.plan = std::move(planned.plan);
    outcome.result.status = "interrupted";
    outcome.result.exit_status = 130;
    return outcome;
  }
  // Read before the first sample: a machine that is asked about itself while it measures answers
  // for both.
  const Json environment = environment_json(planned, options);
  const auto now = std::chrono::system_clock::now();
  record::Writer writer =
      record::Writer::create(options.records, trim_for_name(planned.plan.name),
                             utc_compact_text(now), json_text(to_json(planned.plan)), utc_text(now),
                             experiment.file_text, json_text(environment));
  if (!planned.log.empty()) writer.write_text("logs/describe.log", planned.log);
  if (!experiment.file.empty()) {
    const auto left_out = writer.archive(std::filesystem::absolute(experiment.file).parent_path(),
                                         "source", archive_limit_bytes);
    std::string text;
    for (const std::string& each : left_out) text += each + "\n";
    if (!text.empty()) writer.write_text("logs/source-left-out.txt", text);
  }

  record::Evidence evidence;
  evidence.plan = std::move(planned.plan);
  evidence.environment = environment;
  Session session(std::move(writer), std::move(evidence), options.hooks);
  if (options.budget_s) session.budget_s = *options.budget_s;
  if (planned.failure) {
    session.fail(*planned.failure, 0);
    return finish(session, judge::Ending::complete, options, begun_ns);
  }
  return finish(session, measure(session, 1), options, begun_ns);
}

Outcome resume(const std::filesystem::path& path, const Options& options) {
  const std::int64_t begun_ns = monotonic_ns();
  const record::Record before = record::open(path);
  const experiment::Plan& plan = before.evidence.plan;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::bad_input, "cannot resume " + path.string() + ": " + why);
  };
  if (before.is_sealed) refuse("it is complete and sealed; `assay run` makes a new record");
  if (plan.cells.empty())
    refuse("its program could not be asked what there is to measure; run it anew");
  const auto digests = plan.is_of_commands() ? command_digests(plan.commands)
                                             : program_digests(plan.builds, plan.layout_replicates);
  if (digests != plan.program_digests) {
    refuse(
        "a program is not the one that the record was begun with (its SHA-256 differs); run it "
        "anew");
  }
  if (!before.evidence.environment)
    refuse(
        "its environment.json is missing: nothing says on which machine it began. Run it anew; "
        "what was measured stays readable");
  {
    const auto& then = *before.evidence.environment;
    if (then.value("machine_fingerprint", Json()) !=
        env::machine_fingerprint(env::environment_of_this_machine())) {
      refuse("it was begun on another machine; times of two machines do not go into one record");
    }
  }
  if (!options.device.empty()) {
    const auto kind = [](const std::string& device) { return device.substr(0, device.find(':')); };
    if (kind(options.device) != kind(plan.device)) {
      refuse("it was begun on the device " + plan.device + ", not on " + options.device);
    }
  }
  record::Writer writer = record::Writer::reopen(path);
  // Read again: the tables are mended, and nobody else can write them any more.
  record::Evidence evidence = record::open(path).evidence;
  if (!options.device.empty()) evidence.plan.device = options.device;
  std::int64_t next = 1;
  for (const auto& row : evidence.samples.rows) next = std::max<std::int64_t>(next, row.trial);
  Session session(std::move(writer), std::move(evidence), options.hooks);
  if (options.budget_s) session.budget_s = *options.budget_s;
  return finish(session, measure(session, next), options, begun_ns);
}

DryRun dry_run(const experiment::Experiment& as_written, const Options& options) {
  experiment::Experiment experiment = as_written;
  DryRun dry;
  dry.is_interrupted = build_programs(experiment, options.hooks) == Step::interrupted;
  if (dry.is_interrupted) return dry;
  Planned planned = make_plan(experiment, options);
  if (planned.failure) throw Error(ErrorKind::worker, planned.failure->message);
  dry.is_interrupted = planned.interrupted;
  if (dry.is_interrupted) return dry;
  dry.plan = std::move(planned.plan);
  const experiment::Protocol& protocol = dry.plan.protocol;
  // A sample of the length aimed at, after as long a call to warm up, and six blocks before the
  // first counted one.
  constexpr double calls_per_sample = 2;
  constexpr double warm_up_blocks = 6;
  constexpr double start_s = 0.02;  // a process: exec, describe, prepare
  // One a build and boundary; of a cold start one for each subject and the control.
  std::set<std::string> boundaries;
  std::size_t first_calls = 0;
  for (const auto& cell : dry.plan.cells) {
    if (cell.is_cold_start()) {
      first_calls += cell.subjects.size() + 1;
    } else {
      boundaries.insert(cell.boundary);
    }
  }
  auto builds = static_cast<std::int64_t>(dry.plan.builds.size() * boundaries.size() + first_calls);
  double trial_s = start_s * static_cast<double>(builds);
  for (const auto& cell : dry.plan.cells) {
    if (cell.is_cold_start()) continue;
    trial_s += static_cast<double>(cell.subjects.size() + 1) *
               (static_cast<double>(protocol.blocks) + warm_up_blocks) * calls_per_sample *
               protocol.sample_s;
  }
  if (dry.plan.is_of_commands()) {
    // How long they take is not known before they run: never less than a command that does nothing.
    const auto& floor = dry.plan.descriptions.front().timers.front().floor_ns;
    builds = 0;
    for (const auto& cell : dry.plan.cells) {
      builds += static_cast<std::int64_t>(cell.subjects.size() + 1) *
                (1 + protocol.warmup_blocks_max);  // at least one run each
    }
    trial_s = static_cast<double>(builds) * (floor.has_value() ? *floor * 1e-9 : 0);
  }
  dry.processes_at_least = (protocol.looks.front() + 1) * builds;
  dry.processes_at_most = (protocol.looks.back() + 1) * builds;
  dry.seconds_at_least = trial_s * static_cast<double>(protocol.looks.front() + 1);
  if (dry.plan.is_of_commands()) {
    std::int64_t runs = 0;
    for (const auto& cell : dry.plan.cells) {
      runs += static_cast<std::int64_t>(cell.subjects.size() + 1) *
              (protocol.blocks + protocol.warmup_blocks_max);
    }
    dry.processes_at_most = (protocol.looks.back() + 1) * runs;
  }
  if (dry.plan.quick) dry.processes_at_most = dry.processes_at_least;
  dry.seconds_at_most =
      std::min(protocol.budget_s, trial_s * static_cast<double>(protocol.looks.back() + 1));
  if (dry.plan.is_of_commands()) dry.seconds_at_most = protocol.budget_s;
  dry.seconds_at_least = std::min(dry.seconds_at_least, dry.seconds_at_most);
  return dry;
}

}  // namespace assay::run
