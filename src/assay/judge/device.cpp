// SPDX-License-Identifier: MIT
#include "assay/judge/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "assay/base/energy.hpp"
#include "assay/base/telemetry_marks.hpp"
#include "assay/judge/load.hpp"
#include "assay/judge/text.hpp"

namespace assay::judge::detail {
namespace {

using record::TelemetryRow;

auto block_of(const TelemetryRow& row) {
  return std::tuple(row.trial, row.problem, row.case_id, row.state, row.boundary, row.block);
}

using Block = decltype(block_of(std::declval<TelemetryRow>()));

std::int64_t count_of(const std::set<Block>& blocks) {
  return static_cast<std::int64_t>(blocks.size());
}

double middle(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<Telemetry> readings_of(const std::vector<Around>& pairs) {
  std::vector<Telemetry> readings;
  for (const Around& pair : pairs) {
    readings.push_back(pair.before->telemetry);
    readings.push_back(pair.after->telemetry);
  }
  return readings;
}

void describe(DeviceResult& result, const std::vector<Telemetry>& readings) {
  std::map<std::int64_t, std::int64_t> reasons;  // by bit
  std::vector<double> took_ns;
  for (const Telemetry& reading : readings) {
    took_ns.push_back(static_cast<double>(reading.took_ns));
    const auto& mask = reading.of(Field::clock_reasons);
    if (!mask) continue;
    for (std::int64_t bit = 0; bit < 63; ++bit) reasons[bit] += *mask >> bit & 1;
  }
  result.readings = static_cast<std::int64_t>(readings.size());
  result.median_reading_ns = middle(took_ns);
  for (const auto& [bit, count] : reasons) {
    if (count == 0) continue;
    result.clock_reasons.push_back({clock_reasons_of(std::int64_t{1} << bit).front(), count});
  }
  for (const Field field : readings.front().fields()) {
    const std::string name(name_of(field));
    std::vector<double> values;
    std::map<std::string, std::int64_t> gaps;
    for (const Telemetry& reading : readings) {
      const Reading<std::int64_t>& value = reading.of(field);
      if (value) {
        values.push_back(static_cast<double>(*value));
      } else {
        ++gaps[value.missing().reason];
      }
    }
    for (const auto& [reason, count] : gaps) {
      result.missing.push_back({name, reason, count});
    }
    if (values.empty() || facts_of(field).kind != TelemetryField::Kind::state) continue;
    const double median = middle(values);
    result.quantities.push_back(
        {name, static_cast<std::int64_t>(values.size()), values.front(), median, values.back()});
  }
}

void add_events(DeviceResult& result, const std::vector<Around>& pairs) {
  std::set<Block> all;
  std::set<Block> throttled;
  std::set<Block> shared;
  std::set<Block> known;  // whether it was shared
  std::map<std::string_view, std::set<Block>> throttled_by;
  std::map<std::string_view, std::int64_t> advance_ns;
  for (const Around& pair : pairs) {
    const Telemetry& before = pair.before->telemetry;
    const Telemetry& after = pair.after->telemetry;
    const Block block = block_of(*pair.before);
    all.insert(block);
    if (was_throttled(before, after)) throttled.insert(block);
    if (was_shared(before, after)) shared.insert(block);
    if (before.of(Field::other_processes) || after.of(Field::other_processes)) known.insert(block);
    for (const Throttling& each : throttled_between(before, after)) {
      if (!each.ns) continue;
      // What a worker says may be anything; a sum stays a number.
      std::int64_t& sum_ns = advance_ns[each.reason];
      sum_ns += std::min(*each.ns, std::numeric_limits<std::int64_t>::max() - sum_ns);
      if (*each.ns > 0) throttled_by[each.reason].insert(block);
    }
  }
  result.blocks = count_of(all);
  result.throttled_blocks = count_of(throttled);
  result.shared_blocks = count_of(shared);
  result.unknown_shared_blocks = count_of(all) - count_of(known);
  for (const ThrottleReason& reason : throttle_reasons) {
    const auto advance = advance_ns.find(reason.slug);
    if (advance == advance_ns.end()) continue;
    result.throttling.push_back(
        {std::string(reason.slug), count_of(throttled_by[reason.slug]), advance->second});
  }
}

bool is_processor(const std::vector<Around>& pairs) {
  return pairs.front().before->telemetry.has(Field::busy_ns);
}

// Over a block a counter of cycles says more than the clock at its ends.
void add_mean_clock(DeviceResult& result, const std::vector<Around>& pairs) {
  std::vector<double> clocks_hz;
  for (const auto& [before, after] : pairs) {
    const auto cycles = advance_of(Field::cycles, before->telemetry, after->telemetry);
    const auto time_ns = advance_of(Field::cycles_time_ns, before->telemetry, after->telemetry);
    if (!cycles || !time_ns || *time_ns == 0) continue;
    clocks_hz.push_back(static_cast<double>(*cycles) * 1e9 / static_cast<double>(*time_ns));
  }
  if (clocks_hz.empty()) return;
  const double median = middle(clocks_hz);
  result.quantities.push_back({"mean_clock_hz", static_cast<std::int64_t>(clocks_hz.size()),
                               clocks_hz.front(), median, clocks_hz.back()});
}

void add_counters(DeviceResult& result, const std::vector<Around>& pairs) {
  constexpr std::array of_a_core{Field::core_busy_ns, Field::core_steal_ns,
                                 Field::core_thermal_throttles, Field::package_thermal_throttles};
  for (const Field field : pairs.front().before->telemetry.fields()) {
    if (facts_of(field).kind != TelemetryField::Kind::counter) continue;
    const bool is_of_core = std::find(of_a_core.begin(), of_a_core.end(), field) != of_a_core.end();
    DeviceCounter counter{std::string(name_of(field)), 0, 0, 0};
    // Each build's part of a block has a pair of its own.
    std::set<Block> known;
    std::set<Block> advanced;
    for (const auto& [before, after] : pairs) {
      const auto advance = is_of_core ? core_advance_of(field, before->telemetry, after->telemetry)
                                      : advance_of(field, before->telemetry, after->telemetry);
      if (!advance) continue;
      known.insert(block_of(*before));
      if (*advance > 0) advanced.insert(block_of(*before));
      // What a worker says may be anything; a sum stays a number.
      counter.advance +=
          std::min(*advance, std::numeric_limits<std::int64_t>::max() - counter.advance);
    }
    counter.known_blocks = count_of(known);
    counter.blocks = count_of(advanced);
    if (counter.known_blocks > 0) result.counters.push_back(std::move(counter));
  }
}

Reading<DeviceEnergy> energy_of(const std::vector<TelemetryRow>& rows) {
  std::map<std::int64_t, std::pair<const Telemetry*, const Telemetry*>> ends;  // by process
  for (const TelemetryRow& row : rows) {
    // Of a reading that was thinned the meter is not known.
    const bool has_energy = std::any_of(
        energy_meters.begin(), energy_meters.end(),
        [&](const EnergyMeter& meter) { return row.telemetry.of(meter.counter).has_value(); });
    if (row.trial < 1 || !has_energy) continue;
    ends.try_emplace(row.process, &row.telemetry, nullptr).first->second.second = &row.telemetry;
  }
  DeviceEnergy sum;
  std::string reason = "not-measured";
  for (const auto& [process, end] : ends) {
    const Reading<EnergyUse> use = energy_between(*end.first, *end.second);
    if (!use) {
      reason = use.missing().reason;
      continue;
    }
    sum.meter = std::string(use->meter->name);
    sum.energy_j += use->energy_j;
    sum.uncertainty_j += use->uncertainty_j;
    sum.window_s += use->window_s;
    ++sum.processes;
  }
  if (sum.processes == 0) return Missing{reason, ""};
  return sum;
}

// In how many measured samples each of these flags stands.
std::vector<DeviceCount> flagged_of(const record::SampleTable& samples,
                                    std::initializer_list<const char*> flags) {
  std::vector<std::int64_t> by_flags(samples.names.size(), 0);
  for (const record::Sample& sample : samples.rows) {
    if (sample.trial > 0 && sample.phase == record::Phase::measure) ++by_flags[sample.flags];
  }
  std::vector<DeviceCount> counts;
  for (const char* flag : flags) counts.push_back({flag, 0});
  for (std::uint32_t i = 0; i < by_flags.size(); ++i) {
    if (by_flags[i] == 0) continue;
    const std::string padded = " " + samples.names.name(i) + " ";
    for (DeviceCount& each : counts) {
      if (padded.find(" " + each.name + " ") != std::string::npos) each.count += by_flags[i];
    }
  }
  return counts;
}

std::int64_t count_of(const std::vector<DeviceCount>& counts, std::string_view name) {
  for (const DeviceCount& each : counts) {
    if (each.name == name) return each.count;
  }
  return 0;
}

}  // namespace

std::optional<DeviceResult> device_of(const record::Evidence& evidence) {
  const std::vector<Around> pairs = measured_pairs(evidence.telemetry);
  if (pairs.empty()) return std::nullopt;
  DeviceResult result;
  describe(result, readings_of(pairs));
  add_events(result, pairs);
  result.energy = energy_of(evidence.telemetry);
  if (!is_processor(pairs)) {
    result.flagged = flagged_of(evidence.samples, {"shared", "throttled"});
    return result;
  }
  result.flagged =
      flagged_of(evidence.samples, {"migrated", "paged", "stolen", "switched", "throttled"});
  add_mean_clock(result, pairs);
  add_counters(result, pairs);
  result.loads = loads_of(evidence.telemetry);
  return result;
}

void add_of_device(std::vector<Finding>& findings, const DeviceResult& device) {
  if (device.throttled_blocks > 0) {
    std::string by;
    for (const DeviceThrottling& each : device.throttling) {
      if (each.blocks == 0) continue;
      by += fmt::format("{}{} {}", by.empty() ? " (" : ", ", each.reason,
                        time_text(static_cast<double>(each.advance_ns)));
    }
    for (const DeviceCounter& each : device.counters) {
      const auto* cause =
          std::find_if(processor_hold_backs.begin(), processor_hold_backs.end(),
                       [&](const HoldBack& one) { return name_of(one.counter) == each.name; });
      if (cause == processor_hold_backs.end() || each.blocks == 0) continue;
      by += fmt::format("{}{} {} times", by.empty() ? " (" : ", ", cause->slug, each.advance);
    }
    findings.push_back(
        {"device.throttled",
         fmt::format("The device was held back in {} of {} blocks{}: {} samples are flagged "
                     "'throttled', and are kept. Both sides of a block are affected, though not "
                     "always alike.",
                     device.throttled_blocks, device.blocks, by.empty() ? "" : by + ")",
                     count_of(device.flagged, "throttled")),
         ""});
  }
  if (const std::int64_t stolen = count_of(device.flagged, "stolen"); stolen > 0) {
    findings.push_back(
        {"device.stolen",
         fmt::format("The host ran others on this machine's cores: {} samples are flagged "
                     "'stolen', and are kept. A virtual machine may be told less than was taken.",
                     stolen),
         ""});
  }
  add_of_loads(findings, device.loads);
  if (device.shared_blocks > 0) {
    findings.push_back(
        {"device.shared",
         fmt::format("Another process had the device open for computing in {} of {} blocks: {} "
                     "samples are flagged 'shared', and are kept.",
                     device.shared_blocks, device.blocks, count_of(device.flagged, "shared")),
         ""});
  }
}

}  // namespace assay::judge::detail
