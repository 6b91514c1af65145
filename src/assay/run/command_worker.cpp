// SPDX-License-Identifier: MIT
#include "assay/run/command_worker.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/env/environment.hpp"
#include "assay/experiment/command_output.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using experiment::CheckResult;
using experiment::Command;
using experiment::Failure;

constexpr const char* problem_name = "commands";
constexpr const char* timer_name = "process";
constexpr std::uintmax_t log_bytes = std::uintmax_t{1} << 20;
constexpr std::size_t last_words_bytes = 300;

std::vector<Case> product(const std::vector<experiment::AxisChoice>& axes) {
  std::vector<std::vector<Case::Entry>> partial = {{}};
  for (const auto& [name, values] : axes) {
    std::vector<std::vector<Case::Entry>> longer;
    for (const auto& entries : partial) {
      for (const AxisValue& value : values) {
        longer.push_back(entries);
        longer.back().emplace_back(name, value);
      }
    }
    partial = std::move(longer);
  }
  std::vector<Case> cases;
  for (auto& entries : partial) cases.emplace_back(std::move(entries));
  return cases;
}

// The axes of tuples: each with the values that occur.
std::vector<experiment::AxisDescription> axes_of(const std::vector<Case>& cases) {
  std::vector<experiment::AxisDescription> axes;
  if (cases.empty()) return axes;
  for (const auto& [name, unused] : cases.front().entries()) {
    experiment::AxisDescription axis{name, {}};
    for (const Case& one : cases) {
      const AxisValue* value = one.find(name);
      if (value == nullptr) continue;
      if (std::find(axis.values.begin(), axis.values.end(), *value) == axis.values.end()) {
        axis.values.push_back(*value);
      }
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

// The smallest step that the clock was seen to make.
double clock_step_ns() {
  std::int64_t least = 1'000'000;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t begin = monotonic_ns();
    std::int64_t end = begin;
    while (end == begin) end = monotonic_ns();
    least = std::min(least, end - begin);
  }
  return static_cast<double>(least);
}

std::string device_name() {
  const Json environment = env::environment_of_this_machine();
  const Json* value = &environment;
  for (const char* key : {"cpu", "model", "value"}) {
    if (!value->is_object() || !value->contains(key)) return "";
    value = &(*value)[key];
  }
  return value->is_string() ? value->get<std::string>() : "";
}

const char* kind_of(const TimedRun& run) {
  switch (run.end) {
    case TimedRun::End::not_executed:
      return experiment::failure::missing_program;
    case TimedRun::End::timed_out:
      return experiment::failure::timed_out;
    case TimedRun::End::printed_too_much:
      return experiment::failure::out_of_bounds;
    default:
      return run.ended.by_signal ? experiment::failure::crashed : experiment::failure::exited;
  }
}

std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) result += (c >= ' ' && c < 0x7f) ? c : (c == '\n' ? ' ' : '?');
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return "'" + result + "'";
}

}  // namespace

CommandWorker::CommandWorker(CommandLaunch launch)
    : launch_(std::move(launch)),
      out_(std::make_unique<Scratch>()),
      words_(std::make_unique<Scratch>()) {
  // Closed in what is measured: a command that wrote to it would write into the record.
  log_.reset(std::fopen(launch_.log.c_str(), "abe"));
  if (!log_) {
    throw Error(ErrorKind::write, "cannot open the log " + launch_.log.string());
  }
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(launch_.log, unknown);
  if (!unknown) logged_bytes_ = size;
}

std::variant<CommandWorker, Failure> CommandWorker::start(CommandLaunch launch) {
  for (const Command& command : launch.commands) {
    if (!command.program.empty() && !experiment::find_command(command, launch.directory).empty()) {
      continue;
    }
    Failure failure;
    failure.kind = experiment::failure::missing_program;
    failure.stage = "start";
    failure.build = launch.build;
    failure.message = "the command of the subject '" + command.name +
                      "' cannot be found: " + command.words.front() +
                      (command.words.front().find('/') == std::string::npos
                           ? " is no executable file in PATH"
                           : " is no executable file in " + launch.directory.string());
    return failure;
  }
  return CommandWorker(std::move(launch));
}

RunLimits CommandWorker::limits() const {
  RunLimits limits;
  limits.timeout_s = launch_.timeout_s;
  limits.interrupted = launch_.interrupted;
  return limits;
}

Worker::Asked CommandWorker::ask(const wire::Request& request, const std::string& stage) {
  if (launch_.interrupted && launch_.interrupted()) return Interrupted{};
  return std::visit(
      [&](const auto& asked) -> Worker::Asked {
        using Kind = std::decay_t<decltype(asked)>;
        if constexpr (std::is_same_v<Kind, wire::Describe>) {
          return wire::Answer(describe(asked));
        } else if constexpr (std::is_same_v<Kind, wire::Prepare>) {
          return wire::Answer(prepare(asked));
        } else if constexpr (std::is_same_v<Kind, wire::Check>) {
          return check(asked);
        } else if constexpr (std::is_same_v<Kind, wire::Block>) {
          return run_block(asked, stage);
        } else if constexpr (std::is_same_v<Kind, wire::Idle>) {
          return wire::Answer(wire::Idled{});
        } else if constexpr (std::is_same_v<Kind, wire::End>) {
          return wire::Answer(wire::Ended{});
        } else {
          return wire::Answer(wire::Refused{"usage", "commands know no such request", ""});
        }
      },
      request);
}

experiment::ProgramDescription CommandWorker::describe(const wire::Describe& request) const {
  experiment::ProblemDescription problem;
  problem.name = problem_name;
  problem.checked = !launch_.commands.front().output.empty();
  problem.tolerance = problem.checked ? "byte-for-byte" : "";
  problem.states = {"warm"};
  std::vector<Case> cases = launch_.tuples.empty() ? product(launch_.axes) : launch_.tuples;
  if (launch_.tuples.empty()) {
    for (const auto& [name, values] : launch_.axes) problem.axes.push_back({name, values});
  } else {
    problem.axes = axes_of(cases);
  }
  if (const auto asked = request.cases.find(problem_name); asked != request.cases.end()) {
    cases = asked->second;
  }
  std::vector<std::string> names;
  for (const Command& command : launch_.commands) {
    names.push_back(command.name);
    experiment::SubjectDescription subject;
    subject.name = command.name;
    subject.threads = command.threads;
    problem.subjects.push_back(std::move(subject));
  }
  for (const Case& one : cases) {
    experiment::CaseDescription described;
    described.the_case = one;
    described.supported = names;
    described.work = Missing{"not-declared", "commands declare no work model"};
    problem.cases.push_back(std::move(described));
  }
  experiment::ProgramDescription description;
  description.program = "whole commands";
  description.build.optimised = true;  // nobody can tell; what warns of debug builds must not
  description.boundaries = {"command"};
  experiment::TimerDescription timer;
  timer.name = timer_name;
  timer.boundaries = description.boundaries;
  description.device.id = "cpu";
  // Once, for the plan: a crew of which no more is asked than whether it can work needs neither.
  if (launch_.describes_machine) {
    description.device.name = device_name();
    timer.resolution_ns = clock_step_ns();
    timer.floor_ns = floor_ns();
  }
  description.timers = {std::move(timer)};
  description.problems.push_back(std::move(problem));
  return description;
}

// What a command that does nothing takes: the median of some runs of true(1), after one that is not
// counted.
Reading<double> CommandWorker::floor_ns() const {
  constexpr int runs = 21;
  Command nothing;
  nothing.words = {"true"};
  TimedLaunch launch;
  launch.program = experiment::find_command(nothing, launch_.directory);
  if (launch.program.empty()) {
    return Missing{"no-such-file", "there is no program 'true' in PATH that does nothing"};
  }
  launch.words = nothing.words;
  launch.directory = launch_.directory;
  launch.stdout_fd = launch.stderr_fd = words_->fd();
  TimedProcess process(std::move(launch));
  std::vector<double> times;
  for (int i = 0; i <= runs; ++i) {
    const TimedRun run = process.run(limits());
    const std::string trouble = trouble_with(run, limits());
    if (!trouble.empty()) return Missing{"failed", "true " + trouble};
    if (i > 0) times.push_back(run.interval_ns);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2];
}

const Command& CommandWorker::command(const std::string& subject) const {
  const auto found = std::find_if(launch_.commands.begin(), launch_.commands.end(),
                                  [&](const Command& each) { return each.name == subject; });
  ASSAY_EXPECTS(found != launch_.commands.end());
  return *found;
}

std::string CommandWorker::code_of(const std::string& label) const {
  return label == experiment::control_name ? cell_->baseline : label;
}

wire::Prepared CommandWorker::prepare(const wire::Prepare& request) {
  cell_ = request;
  prepared_.clear();
  kept_.clear();
  for (const std::string& subject : request.subjects) {
    const Command& written = command(subject);
    TimedLaunch launch;
    launch.program = written.program;
    for (const std::string& word : written.words) {
      // The program's name has no axis, and may hold braces of its own.
      launch.words.push_back(
          launch.words.empty() ? word : experiment::expand(word, request.cell.the_case));
    }
    launch.environment = {{wire::padding_variable, std::string(launch_.padding_bytes, 'x')}};
    launch.directory = launch_.directory;
    launch.cores = written.threads == 1 ? request.single_core : request.all_cores;
    const std::string output = experiment::expand(written.output, request.cell.the_case);
    // The plan was checked; a record that goes on may have been changed.
    const std::string trouble = experiment::trouble_with_output(output);
    if (!trouble.empty()) {
      throw Error(ErrorKind::bad_input, "the output \"" + output + "\" of the subject '" + subject +
                                            "': " + trouble +
                                            "; expected a file below the working directory");
    }
    const bool is_printed = output == "-";
    launch.stdout_fd = is_printed ? out_->fd() : words_->fd();
    launch.stderr_fd = words_->fd();
    prepared_.emplace(
        subject, Prepared{TimedProcess(std::move(launch)), written.program,
                          is_printed || output.empty() ? fs::path() : launch_.directory / output,
                          is_printed, false, ""});
  }
  wire::Prepared answer;
  answer.max_iterations = 1;  // a run is a sample
  return answer;
}

// Every run begins alike, timed or not: without its output. Only a file is ever removed, and only
// one that lies below the working directory: what else may be named, such as a device or the
// program itself, is no output.
TimedRun CommandWorker::run_once(Prepared& prepared) {
  out_->clear();
  words_->clear();
  if (!prepared.output.empty()) {
    std::error_code ignored;
    const bool is_program = fs::equivalent(prepared.output, prepared.program, ignored);
    prepared.trouble = experiment::trouble_with_output(
        prepared.output.lexically_relative(launch_.directory).string(), launch_.directory);
    if (!is_program && prepared.trouble.empty() && fs::is_regular_file(prepared.output, ignored)) {
      fs::remove(prepared.output, ignored);
    }
    prepared.is_stale = fs::exists(prepared.output, ignored);
  }
  return prepared.process.run(limits());
}

CommandWorker::Output CommandWorker::output_of(const Prepared& prepared) const {
  Output output;
  const fs::path file = prepared.is_printed ? fs::path(out_->path()) : prepared.output;
  std::error_code error;
  if (!prepared.trouble.empty()) {
    output.trouble = file.string() + " is no output of its own: " + prepared.trouble;
    return output;
  }
  if (prepared.is_stale) {
    output.trouble = file.string() + " was there before the run and is not Assay's to remove";
    return output;
  }
  if (!fs::is_regular_file(file, error)) {
    output.trouble = "it wrote no file " + file.string();
    return output;
  }
  try {
    output.digest = OutputDigest{sha256_hex_of_file(file), fs::file_size(file)};
  } catch (const std::exception& unreadable) {
    output.trouble = std::string("its output cannot be read: ") + unreadable.what();
  }
  return output;
}

std::optional<Failure> CommandWorker::failure_of(const TimedRun& run, const std::string& subject,
                                                 const std::string& stage) const {
  const std::string trouble = trouble_with(run, limits());
  if (trouble.empty()) return std::nullopt;
  Failure failure;
  failure.kind = kind_of(run);
  failure.stage = stage;
  failure.subject = subject;
  failure.build = launch_.build;
  failure.message = "the command " + trouble;
  const std::string last = words_->tail(last_words_bytes);
  if (!last.empty()) failure.message += "; its last words: " + quoted(last);
  return failure;
}

// What a command prints in thousands of runs is the same, and would fill the record.
void CommandWorker::log(const std::string& heading, bool in_any_case) {
  const std::string text = words_->tail(std::size_t{64} << 10);
  if (text.empty() || (!in_any_case && logged_bytes_ > log_bytes)) return;
  const std::string lines = "== " + heading + "\n" + text + (text.back() == '\n' ? "" : "\n");
  std::fwrite(lines.data(), 1, lines.size(), log_.get());
  std::fflush(log_.get());
  logged_bytes_ += heading.size() + text.size();
}

CheckResult CommandWorker::result_of(const std::string& kind, const std::string& subject) const {
  CheckResult result;
  result.kind = kind;
  result.problem = cell_->cell.problem;
  result.case_id = cell_->cell.the_case.id();
  result.subject = subject;
  result.content = "ordinary";
  return result;
}

// The output against the baseline's.
void CommandWorker::judge(const Output& output, CheckResult& result) const {
  if (!output.digest) {
    result.reason = output.trouble;
    return;
  }
  result.detail = {{"sha256", output.digest->sha256}, {"bytes", output.digest->bytes}};
  const auto reference = launch_.references.find(result.case_id);
  if (reference == launch_.references.end()) {
    result.reason = "there is no output of the baseline to compare with";
    return;
  }
  result.passed = reference->second.sha256 == output.digest->sha256;
  if (result.passed) return;
  const bool is_baseline = result.subject == cell_->baseline;
  result.reason =
      (is_baseline ? std::string("the baseline's own output is not the same in every run, so that "
                                 "it is no reference")
                   : std::string("the output differs from the baseline's")) +
      ": " + std::to_string(output.digest->bytes) + " bytes with SHA-256 " +
      output.digest->sha256.substr(0, 12) + "…, the reference has " +
      std::to_string(reference->second.bytes) + " bytes with " +
      reference->second.sha256.substr(0, 12) + "…" +
      (is_baseline
           ? "; make it the same (no dates, no paths, a fixed seed), or say unchecked = true"
           : "");
}

// Nothing if the user asked to stop. The baseline runs twice: what differs from itself is no
// reference.
std::optional<CheckResult> CommandWorker::check_before(const std::string& subject) {
  CheckResult result = result_of("before", subject);
  Prepared& prepared = prepared_.at(subject);
  const bool is_baseline = subject == cell_->baseline;
  for (int run = is_baseline ? 0 : 1; run < 2; ++run) {
    const TimedRun timed = run_once(prepared);
    if (timed.end == TimedRun::End::interrupted) return std::nullopt;
    const auto failure = failure_of(timed, subject, "check");
    log(subject + ", check, " + cell_->cell.the_case.id(), failure.has_value());
    if (failure) {
      result.reason = failure->message;
      result.detail = {{"failure", failure->kind}};
      return result;
    }
    const Output output = output_of(prepared);
    if (run == 0 && output.digest) launch_.references[result.case_id] = *output.digest;
    judge(output, result);
    if (!output.digest) break;
  }
  return result;
}

Worker::Asked CommandWorker::check(const wire::Check& request) {
  wire::Checked answer;
  // Whether wrong bytes would be noticed, and on which inputs, is no question here.
  if (request.kind != "before" && request.kind != "timed") return wire::Answer(answer);
  for (const std::string& subject : request.subjects) {
    if (request.kind == "before") {
      auto result = check_before(subject);
      if (!result) return Interrupted{};
      answer.results.push_back(std::move(*result));
    } else if (const auto kept = kept_.find(subject); kept != kept_.end()) {
      CheckResult result = result_of("timed", subject);
      judge(kept->second, result);
      answer.results.push_back(std::move(result));
    }
  }
  return wire::Answer(std::move(answer));
}

Worker::Asked CommandWorker::run_block(const wire::Block& request, const std::string& stage) {
  wire::BlockDone done;
  if (request.keep_outputs) kept_.clear();
  std::vector<record::CommandRun> rows;
  for (const std::string& label : request.order) {
    const std::string subject = code_of(label);
    Prepared& prepared = prepared_.at(subject);
    const TimedRun run = run_once(prepared);
    if (run.end == TimedRun::End::interrupted) return Interrupted{};
    auto failure = failure_of(run, label, stage);
    log(label + ", trial " + std::to_string(launch_.trial) + ", " + request.phase + ", block " +
            std::to_string(request.block) + ", " + cell_->cell.the_case.id(),
        failure.has_value());
    if (failure) {
      done.failures.push_back(std::move(*failure));
      continue;
    }
    if (request.keep_outputs && label != experiment::control_name) {
      kept_[subject] = output_of(prepared);
    }
    done.samples.push_back({label, run.interval_ns, run.start_ns, "", {}});
    record::CommandRun row;
    row.trial = launch_.trial;
    row.process = launch_.process;
    row.problem = cell_->cell.problem;
    row.case_id = cell_->cell.the_case.id();
    row.state = cell_->cell.state;
    row.boundary = cell_->cell.boundary;
    row.phase = record::phase_from_string(request.phase);
    row.block = request.block;
    row.position = static_cast<std::int64_t>(rows.size());
    row.subject = label;
    row.user_ns = run.user_ns;
    row.system_ns = run.system_ns;
    row.max_rss_bytes = run.max_rss_bytes;
    row.minor_faults = run.minor_faults;
    row.major_faults = run.major_faults;
    row.voluntary_switches = run.voluntary_switches;
    row.involuntary_switches = run.involuntary_switches;
    rows.push_back(std::move(row));
  }
  // Only now: the samples of a block that is broken off are lost, too.
  if (launch_.keep) std::for_each(rows.begin(), rows.end(), launch_.keep);
  return wire::Answer(std::move(done));
}

}  // namespace assay::run
