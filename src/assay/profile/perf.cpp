// SPDX-License-Identifier: MIT
#include "assay/profile/perf.hpp"

#include <sys/utsname.h>

#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/base/json_list.hpp"
#include "assay/profile/events.hpp"
#include "assay/record/checks.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view counts_format = "assay-counts/1";
constexpr const char* counts_name = "counts.json";

class Perf final : public Tool {
 public:
  explicit Perf(std::vector<NamedEvent> events) : events_(std::move(events)) {
    utsname system{};
    uname(&system);
    identity_ = {perf_name,
                 "perf_event_open of " + std::string(system.sysname) + " " + system.release + ", " +
                     events_library(),
                 ""};
  }

  const record::Tool& identity() const override { return identity_; }

  std::vector<record::Metric> metrics() const override {
    std::vector<record::Metric> metrics;
    for (const NamedEvent& each : events_) {
      metrics.push_back({each.name, each.unit, each.meaning, true});
    }
    return metrics;
  }

  std::vector<std::string> notes() const override {
    return {
        "Counted by the program itself, in its threads alone. Besides the calls the counters hold "
        "the "
        "loop that is timed too and the return from and the entry to the kernel that starts and "
        "stops "
        "them: some tens of instructions once.",
        "Events that the processor cannot count together are counted one group after the other, "
        "each "
        "in calls of its own."};
  }

  std::int64_t calls(const Unit& unit) const override { return unit.calls_timed; }

  std::vector<std::string> command(const std::vector<std::string>& once,
                                   const fs::path& folder) const override {
    std::vector<std::string> words = once;
    words.insert(words.end(), {"--counts", (folder / counts_name).string()});
    for (const NamedEvent& each : events_) {
      words.insert(words.end(), {"--event", each.event.text()});
    }
    return words;
  }

 private:
  std::vector<NamedEvent> events_;
  record::Tool identity_;
};

CountedEvent event_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CountedEvent event;
  event.event = reader.take<std::string>("event");
  reader.take<std::uint64_t>("group");
  const auto reading = reader.take_reading<Json>("reading");
  reader.finish();
  if (!reading) {
    const Missing& why = reading.missing();
    const auto is_plain = [](unsigned char c) { return c >= ' ' && c < 0x7f; };
    if (why.reason.empty() || !std::all_of(why.reason.begin(), why.reason.end(), is_plain) ||
        !std::all_of(why.detail.begin(), why.detail.end(), is_plain)) {
      throw Error(ErrorKind::bad_input, where + ": an event is missing without a readable reason");
    }
    event.value = why;
    return event;
  }
  ObjectReader counted(*reading, where + ".reading");
  const auto count = static_cast<double>(counted.take<std::uint64_t>("count"));
  const auto enabled = static_cast<double>(counted.take<std::uint64_t>("enabled_ns"));
  const auto running = static_cast<double>(counted.take<std::uint64_t>("running_ns"));
  counted.finish();
  if (running > enabled) {
    throw Error(ErrorKind::bad_input, where + ": an event ran for longer than it was enabled");
  }
  if (running <= 0) {
    event.value = Missing{"not-scheduled", "other counters had the place all the time"};
    return event;
  }
  event.counted_frac = running / enabled;
  event.value = count / event.counted_frac;
  return event;
}

}  // namespace

std::unique_ptr<Tool> open_perf(const ToolOptions& options) {
  if (options.device.starts_with("cuda")) {
    throw Error(ErrorKind::usage,
                "--tool perf counts what a processor does, and the record is of the device " +
                    options.device);
  }
  if (!options.path.empty()) {
    throw Error(
        ErrorKind::usage,
        "--tool-path names a tool's program, and --tool perf asks the kernel: it needs none");
  }
  std::vector<NamedEvent> events =
      options.events.empty() ? default_events() : std::vector<NamedEvent>();
  for (const std::string& name : options.events) {
    events.push_back(event_of_name(name));
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      if (events[i].name == name)
        throw Error(ErrorKind::usage, "--event " + name + " is given twice");
    }
  }
  return std::make_unique<Perf>(std::move(events));
}

std::vector<CountedEvent> parse_counts(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  record::expect_format(json, counts_format, where);
  ObjectReader reader(json, where);
  reader.member("format");
  auto events = take_list<CountedEvent>(reader, "events", event_from);
  reader.finish();
  return events;
}

std::vector<CountedValue> perf_values(const record::Companion& companion,
                                      const record::CounterRun& run, const fs::path& data) {
  std::vector<CountedValue> values;
  if (run.end->by_signal || run.end->code != 0) {
    return all_missing(companion, {"program-failed", trouble_of(run, data)});
  }
  const auto text = raw_text(run, data, counts_name);
  if (!text) return all_missing(companion, text.missing());
  const auto events = parse_counts(*text, counts_name);
  if (events.size() != companion.metrics.size()) {
    return all_missing(companion,
                       {"unreadable", "the program counted other events than it was asked for"});
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    values.push_back({companion.metrics[i].name, events[i].value, events[i].counted_frac, 0, ""});
  }
  return values;
}

}  // namespace assay::profile
