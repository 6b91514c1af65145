// SPDX-License-Identifier: MIT
#include "assay/profile/profile.hpp"

#include <algorithm>
#include <chrono>

#include "assay/base/error.hpp"
#include "assay/base/temporary_path.hpp"
#include "assay/base/time.hpp"
#include "assay/profile/counter_runs.hpp"
#include "assay/profile/programs.hpp"
#include "assay/profile/tool.hpp"
#include "assay/profile/tool_process.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/companion_writer.hpp"
#include "assay/record/reader.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

record::Record open_sealed(const fs::path& path) {
  record::Record record = record::open(path);
  record::record_digest(path);  // throws where it is not sealed
  const auto differences = record::integrity_differences(path);
  if (!differences.empty()) {
    throw Error(ErrorKind::bad_input, "the record " + path.string() +
                                          " is not as it was sealed, so that nothing can be said "
                                          "about it: " +
                                          differences.front());
  }
  if (record.evidence.plan.is_of_commands()) {
    throw Error(ErrorKind::usage, "the record " + path.string() +
                                      " is of whole commands, which this version cannot run under "
                                      "a tool: it needs a program that is linked with Assay");
  }
  return record;
}

std::vector<std::string> declared_metrics(const experiment::Plan& plan) {
  std::vector<std::string> names;
  for (const auto& alternative : plan.question.alternatives) {
    for (const std::string& name : alternative.metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// Nothing where it was interrupted.
std::unique_ptr<Tool> opened_tool(const Options& options, const experiment::Plan& plan) {
  ToolOptions of_tool{options.tool_path,      plan.device,   options.events, options.metrics,
                      declared_metrics(plan), options.replay};
  of_tool.interrupted = options.interrupted;
  try {
    auto tool = open_tool(options.tool, of_tool);
    return options.interrupted() ? nullptr : std::move(tool);
  } catch (const Error&) {
    // It may be for that alone that the tool did not answer.
    if (options.interrupted()) return nullptr;
    throw;
  }
}

// Carries out the run in a folder of its own, and takes over what it left there.
void count(const Tool& tool, const record::Companion& companion, const Options& options,
           const record::CompanionWriter& writer, record::CounterRun& run) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  ProcessLimits limits;
  limits.timeout_s = options.timeout_s;
  limits.interrupted = options.interrupted;
  run.command = tool.command(once_words(companion, run), folder.path());
  const std::int64_t begun_ns = monotonic_ns();
  run.end = carried_out(run.command, folder.path() / program_log_name, limits);
  const Tool::Afterwards then = tool.afterwards(folder.path());
  if (!then.words.empty() && run.end && !run.end->by_signal && run.end->code == 0) {
    run.afterwards = then.words;
    limits.is_output_bounded = false;
    // Numbers with a point, whatever the language here is.
    const auto printed =
        carried_out(then.words, folder.path() / then.output, limits, {{"LC_ALL", "C"}});
    // What was cut off may look whole.
    if (!printed) {
      run.end = printed.missing();
    } else if (printed->by_signal || printed->code != 0) {
      run.end = Missing{"unreadable", "the command that prints what the tool wrote ended by " +
                                          std::string(printed->by_signal ? "signal " : "status ") +
                                          std::to_string(printed->code)};
    }
  }
  run.wall_s = static_cast<double>(monotonic_ns() - begun_ns) * 1e-9;
  run.raw = writer.take_raw(run.number, folder.path());
}

std::string fingerprint_of(const Json& environment) {
  const auto found = environment.find("machine_fingerprint");
  return found != environment.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> notes_of(const Tool& tool, const record::Record& record,
                                  const record::Companion& companion, const Json& environment) {
  std::vector<std::string> notes = tool.notes();
  for (const auto& program : companion.programs) {
    if (program.is_timed_one()) continue;
    notes.push_back("Counted is another binary than was timed: " + program.path +
                    ". The counters need not hold for the times.");
  }
  const std::string timed =
      record.evidence.environment ? fingerprint_of(*record.evidence.environment) : "";
  if (timed.empty() || timed != fingerprint_of(environment)) {
    notes.emplace_back("Counted was on another machine than the timed one, as far as is known.");
  }
  return notes;
}

}  // namespace

Outcome profile(const Options& options) {
  ASSAY_EXPECTS(!options.calls || (*options.calls >= 1 && *options.calls <= most_counted_calls));
  const record::Record timed = open_sealed(options.record);
  const experiment::Plan& plan = timed.evidence.plan;
  const auto units = units_of(plan, timed.evidence.calibration, options.selection);

  record::Companion companion;
  companion.created_utc = utc_now_text();
  companion.assay_version = ASSAY_VERSION;
  companion.command_line = options.command_line;
  companion.device = plan.device;
  companion.of = {record::record_name(options.record), record::record_digest(options.record),
                  timed.plan_sha256};
  companion.programs = programs_of(plan, options.programs, options.allow_other_program);
  const auto tool = opened_tool(options, plan);
  if (!tool) {
    Outcome outcome;
    outcome.was_interrupted = true;
    return outcome;
  }
  companion.tool = tool->identity();
  companion.metrics = tool->metrics();
  companion.notes = notes_of(*tool, timed, companion, options.environment);

  const fs::path parent =
      options.output.empty()
          ? fs::absolute(options.record / "").lexically_normal().parent_path().parent_path()
          : options.output;
  record::CompanionWriter writer(parent, companion.of.name, "profile-" + options.tool,
                                 utc_compact_text(std::chrono::system_clock::now()));
  Outcome outcome;
  outcome.companion = writer.path();
  std::vector<record::Counter> counters;
  writer.save(companion, counters, options.environment);
  for (const Unit& unit : units) {
    const auto number = static_cast<std::int64_t>(companion.runs.size()) + 1;
    record::CounterRun run = run_of(unit, number, options.calls.value_or(tool->calls(unit)));
    run.started_utc = utc_now_text();
    if (const auto refusal = tool->refusal(unit)) {
      run.end = *refusal;
    } else if (outcome.was_interrupted || options.interrupted()) {
      run.end = Missing{"interrupted", "the run was stopped"};
    } else {
      options.progress(companion.runs.size() + 1, units.size(), run);
      count(*tool, companion, options, writer, run);
    }
    outcome.was_interrupted =
        outcome.was_interrupted || (!run.end && run.end.missing().reason == "interrupted");
    auto rows = counters_of(companion, run, writer.path() / "data");
    outcome.counted += std::any_of(rows.begin(), rows.end(), [](const record::Counter& counter) {
      return counter.value.has_value();
    });
    counters.insert(counters.end(), rows.begin(), rows.end());
    companion.runs.push_back(std::move(run));
    writer.save(companion, counters, options.environment);
  }
  writer.seal(companion, counters, options.environment);
  return outcome;
}

}  // namespace assay::profile
