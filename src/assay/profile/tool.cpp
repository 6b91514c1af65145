// SPDX-License-Identifier: MIT
#include "assay/profile/tool.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "assay/base/error.hpp"
#include "assay/base/temporary_path.hpp"
#include "assay/profile/callgrind.hpp"
#include "assay/profile/ncu.hpp"
#include "assay/profile/perf.hpp"
#include "assay/profile/tool_process.hpp"
#include "assay/record/files.hpp"
#include "assay/run/process.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

// Of a log that a program wrote: what people are shown of it. The log has the rest, and the
// characters that are not ASCII: a companion is to tell the same whenever it is read.
std::string last_line(const std::string& text) {
  constexpr std::size_t most_bytes = 200;
  const auto end = text.find_last_not_of(" \n\t\r");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  std::string line = text.substr(begin == std::string::npos ? 0 : begin + 1,
                                 end - (begin == std::string::npos ? std::string::npos : begin));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c >= 0x7f; }, '?');
  return line.substr(0, most_bytes);
}

}  // namespace

std::unique_ptr<Tool> open_tool(const std::string& name, const ToolOptions& options) {
  if (name != perf_name && !options.events.empty()) {
    throw Error(ErrorKind::usage,
                "--event is for --tool perf; " + name + " has counters of its own");
  }
  if (name != ncu_name && !(options.metrics.empty() && options.replay.empty())) {
    throw Error(ErrorKind::usage, "--metric and --replay are for --tool ncu, and not for " + name);
  }
  if (name == callgrind_name) return open_callgrind(options);
  if (name == ncu_name) return open_ncu(options);
  if (name == perf_name) return open_perf(options);
  throw Error(ErrorKind::usage,
              "--tool " + name + ": there is no such tool; expected callgrind, perf or ncu");
}

std::vector<CountedValue> all_missing(const record::Companion& companion, const Missing& why) {
  std::vector<CountedValue> values;
  for (const auto& metric : companion.metrics) values.push_back({metric.name, why, 1, 0, ""});
  return values;
}

std::vector<CountedValue> values_of(const record::Companion& companion,
                                    const record::CounterRun& run, const fs::path& data) {
  if (!run.end) return all_missing(companion, run.end.missing());
  try {
    if (companion.tool.name == callgrind_name) return callgrind_values(companion, run, data);
    if (companion.tool.name == perf_name) return perf_values(companion, run, data);
    if (companion.tool.name == ncu_name) return ncu_values(companion, run, data);
  } catch (const Error& error) {
    return all_missing(companion, {"unreadable", error.what()});
  }
  return all_missing(
      companion, {"unknown-tool", "this version does not read files of " + companion.tool.name});
}

std::vector<record::Counter> counters_of(const record::Companion& companion,
                                         record::CounterRun& run, const fs::path& data) {
  std::vector<record::Counter> counters;
  run.missing.clear();
  for (CountedValue& value : values_of(companion, run, data)) {
    const auto metric =
        std::find_if(companion.metrics.begin(), companion.metrics.end(),
                     [&](const record::Metric& each) { return each.name == value.metric; });
    ASSAY_EXPECTS(metric != companion.metrics.end());
    if (!value.value) {
      const Missing& why = value.value.missing();
      if (std::find(run.missing.begin(), run.missing.end(), why) == run.missing.end()) {
        run.missing.push_back(why);
      }
    }
    record::Counter counter;
    counter.run = run.number;
    counter.problem = run.problem;
    counter.case_id = run.case_id;
    counter.state = run.state;
    counter.build = run.build;
    counter.subject = run.subject;
    counter.launch = value.launch;
    counter.kernel = value.kernel;
    counter.metric = value.metric;
    counter.unit = metric->unit;
    counter.calls = run.calls;
    counter.value = value.value;
    counter.counted_frac = value.counted_frac;
    counters.push_back(std::move(counter));
  }
  return counters;
}

fs::path find_tool(const std::string& name, const std::string& given, const std::string& advice) {
  experiment::Command command;
  command.words = {given.empty() ? name : given};
  const fs::path found = experiment::find_command(command, fs::current_path());
  if (found.empty()) {
    throw Error(ErrorKind::worker, given.empty()
                                       ? "there is no " + name + " on PATH: " + advice +
                                             ", or name its place with --tool-path"
                                       : "--tool-path " + given + ": there is no such program");
  }
  return fs::absolute(found);
}

std::string version_of(const fs::path& program, const std::string& word,
                       const std::function<bool()>& interrupted) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  const fs::path log = folder.path() / program_log_name;
  ProcessLimits limits;
  limits.timeout_s = 60;
  limits.interrupted = interrupted;
  const auto end = carried_out({program.string(), "--version"}, log, limits);
  const std::string text = record::read_file(log);
  std::istringstream lines(text);
  for (std::string line; end && std::getline(lines, line);) {
    if (line.find(word) != std::string::npos) return last_line(line);
  }
  const std::string how = end ? run::Ended{end->by_signal, static_cast<int>(end->code)}.text()
                              : "was stopped (" + end.missing().reason + ")";
  throw Error(ErrorKind::worker, program.string() + " --version " + how +
                                     " and did not say its version: " + last_line(text));
}

std::string trouble_of(const record::CounterRun& run, const fs::path& data) {
  ASSAY_EXPECTS(run.end.has_value());
  const run::Ended ended{run.end->by_signal, static_cast<int>(run.end->code)};
  const auto log = raw_text(run, data, program_log_name);
  const std::string line = log ? last_line(*log) : std::string();
  return "it " + ended.text() + (line.empty() ? "" : ": " + line);
}

Reading<std::string> raw_text(const record::CounterRun& run, const fs::path& data,
                              const std::string& name) {
  for (const std::string& file : run.raw) {
    if (fs::path(file).filename() == name) return record::read_file(data / file);
  }
  return Missing{"no-output", "the run left no file " + name};
}

}  // namespace assay::profile
