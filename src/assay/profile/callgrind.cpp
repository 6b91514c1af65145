// SPDX-License-Identifier: MIT
#include "assay/profile/callgrind.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>

#include "assay/base/error.hpp"
#include "assay/record/files.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

// What valgrind is told to look for; measure/counted_calls.hpp has the function.
constexpr const char* counted_function = "assay_counted_calls";
constexpr const char* out_name = "callgrind.out";
constexpr const char* log_name = "valgrind.log";
constexpr const char* instructions = "Ir";
// A process under valgrind takes some fifty times as long, and of exact counts one sample is
// enough: so many calls only that what is counted besides them is a small part.
constexpr std::int64_t most_calls = 100;

class Callgrind final : public Tool {
 public:
  explicit Callgrind(record::Tool identity) : identity_(std::move(identity)) {}

  const record::Tool& identity() const override { return identity_; }

  std::vector<record::Metric> metrics() const override {
    return {{"Ir", "instructions", "instructions executed"},
            {"Dr", "reads", "reads of data"},
            {"Dw", "writes", "writes of data"},
            {"I1mr", "misses", "instruction reads that miss the simulated first-level cache"},
            {"D1mr", "misses", "data reads that miss the simulated first-level cache"},
            {"D1mw", "misses", "data writes that miss the simulated first-level cache"},
            {"ILmr", "misses", "instruction reads that miss the simulated last-level cache"},
            {"DLmr", "misses", "data reads that miss the simulated last-level cache"},
            {"DLmw", "misses", "data writes that miss the simulated last-level cache"}};
  }

  std::vector<std::string> notes() const override {
    return {
        "Instructions are counted as executed, without time. Besides the calls they hold the loop "
        "that is timed too, two instructions a call, and some ten more once.",
        "Cache misses are those of valgrind's simulation of two levels, not of this processor: "
        "each "
        "callgrind.out has the sizes.",
        "Valgrind shows programs a processor of its own. Code that picks its instructions at run "
        "time may pick others than when it was timed."};
  }

  std::optional<Missing> refusal(const Unit& unit) const override {
    if (unit.threads == 1) return std::nullopt;
    return Missing{"threads",
                   "the subject uses several threads; callgrind counts the one that calls"};
  }

  std::int64_t calls(const Unit& unit) const override {
    return std::min(unit.calls_timed, most_calls);
  }

  std::vector<std::string> command(const std::vector<std::string>& once,
                                   const fs::path& folder) const override {
    std::vector<std::string> words{identity_.path,
                                   "--tool=callgrind",
                                   "--log-file=" + escaped(folder / log_name),
                                   "--callgrind-out-file=" + escaped(folder / out_name),
                                   "--collect-atstart=no",
                                   std::string("--toggle-collect=") + counted_function,
                                   "--separate-threads=yes",
                                   "--cache-sim=yes"};
    words.insert(words.end(), once.begin(), once.end());
    return words;
  }

 private:
  // Valgrind expands %p and %q{VAR} in names of files.
  static std::string escaped(const fs::path& file) {
    std::string text;
    for (const char c : file.string()) text += c == '%' ? "%%" : std::string(1, c);
    return text;
  }

  record::Tool identity_;
};

// Each thread has a file of its own, callgrind.out-01, -02, …; one without a number is empty.
std::vector<std::string> outputs_of(const record::CounterRun& run) {
  std::vector<std::string> files;
  for (const std::string& file : run.raw) {
    if (fs::path(file).filename().string().starts_with(std::string(out_name) + "-")) {
      files.push_back(file);
    }
  }
  return files;
}

Missing failure_of(const record::CounterRun& run, const fs::path& data) {
  constexpr const char* unknown = "unhandled instruction bytes";
  const auto log = raw_text(run, data, log_name);
  const auto at = log ? log->find(unknown) : std::string::npos;
  if (at != std::string::npos) {
    return {"unsupported-instruction",
            "this valgrind does not know an instruction of the program (" +
                log->substr(at, log->find('\n', at) - at) +
                "), such as AVX-512; build it for a processor without, and count that with "
                "--other-program"};
  }
  return {"program-failed", trouble_of(run, data)};
}

std::string_view value_after(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key)) return line.substr(key.size());
    at = end + 1;
  }
  return {};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::unique_ptr<Tool> open_callgrind(const ToolOptions& options) {
  if (options.device.starts_with("cuda")) {
    throw Error(ErrorKind::usage,
                "--tool callgrind counts what a processor does, and the record is of the device " +
                    options.device);
  }
  const fs::path path = find_tool("valgrind", options.path, "install valgrind");
  return std::make_unique<Callgrind>(record::Tool{
      callgrind_name, version_of(path, "valgrind-", options.interrupted), path.string()});
}

std::map<std::string, std::uint64_t> parse_callgrind(std::string_view text,
                                                     const std::string& where) {
  const auto fail = [&where](const std::string& what) {
    throw Error(ErrorKind::bad_input, where + ": not a file of callgrind: " + what);
  };
  const auto events = words_of(value_after(text, "events:"));
  const auto totals = words_of(value_after(text, "summary:"));
  if (events.empty()) fail("it names no events");
  // Zeros at the end of a line of costs may be left out.
  if (totals.empty() || totals.size() > events.size()) fail("its summary is not one of its events");
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < events.size(); ++i) {
    std::uint64_t count = 0;
    if (i < totals.size()) {
      const char* end = totals[i].data() + totals[i].size();
      const auto read = std::from_chars(totals[i].data(), end, count);
      if (read.ec != std::errc() || read.ptr != end) fail("its summary holds no numbers");
    }
    if (!counts.emplace(events[i], count).second) fail("it names an event twice");
  }
  return counts;
}

std::vector<std::string> callgrind_files_of_others(const record::CounterRun& run,
                                                   const std::vector<std::string>& once,
                                                   const fs::path& data) {
  std::vector<std::string> files;
  for (const std::string& file : outputs_of(run)) {
    const std::string text = record::read_file(data / file);
    const std::string_view command = value_after(text, "cmd:");
    // Between its words is a blank, and in a case too: so they are looked for in their order.
    std::size_t at = 0;
    for (const std::string& word : once) {
      at = command.find(word, at);
      if (at == std::string_view::npos) break;
      at += word.size();
    }
    if (!command.empty() && at == std::string_view::npos) files.push_back(file);
  }
  return files;
}

std::vector<CountedValue> callgrind_values(const record::Companion& companion,
                                           const record::CounterRun& run, const fs::path& data) {
  std::vector<CountedValue> values;
  if (run.end->by_signal || run.end->code != 0)
    return all_missing(companion, failure_of(run, data));
  const auto outputs = outputs_of(run);
  if (outputs.empty()) return all_missing(companion, {"no-output", "callgrind wrote no file"});
  if (outputs.size() > 1) {
    return all_missing(companion, {"threads", "the process had " + std::to_string(outputs.size()) +
                                                  " threads; callgrind counts the one that calls"});
  }
  const auto counts = parse_callgrind(record::read_file(data / outputs.front()), outputs.front());
  const auto total = counts.find(instructions);
  if (total == counts.end() || total->second == 0) {
    return all_missing(companion,
                       {"nothing-counted",
                        std::string("callgrind did not come by the function ") + counted_function +
                            ": is the program stripped of its symbols, or linked with another "
                            "version of Assay?"});
  }
  const std::string& state = run.own_state.empty() ? run.state : run.own_state;
  for (const auto& metric : companion.metrics) {
    const bool is_simulated = metric.name.find('m') != std::string::npos;
    const auto count = counts.find(metric.name);
    if (count == counts.end()) {
      values.push_back(
          {metric.name, Missing{"not-reported", "callgrind does not say it"}, 1, 0, ""});
    } else if (is_simulated && state != "warm") {
      values.push_back({metric.name,
                        Missing{"not-simulated",
                                "nothing empties the simulated caches: misses are known in the "
                                "state warm only"},
                        1, 0, ""});
    } else {
      values.push_back({metric.name, static_cast<double>(count->second), 1, 0, ""});
    }
  }
  return values;
}

}  // namespace assay::profile
