// SPDX-License-Identifier: MIT
#include "assay/judge/launches.hpp"

#include <charconv>

#include "assay/judge/json_parts.hpp"

namespace assay::judge::detail {
namespace {

constexpr std::int64_t kMostOfADevice = 1'000'000;

// A positive number among the device's facts.
Reading<std::int64_t> number_of(const experiment::DeviceDescription& device,
                                const std::string& name) {
  for (const experiment::FactDescription& fact : device.facts) {
    if (fact.name != name) continue;
    if (!fact.value) return fact.value.missing();
    const std::string& text = *fact.value;
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && stop == text.data() + text.size() && number > 0 &&
        number <= kMostOfADevice) {
      return number;
    }
    return Missing{"unreadable", "the device's fact " + name + " is no number of them"};
  }
  return Missing{"not-recorded", "the device's facts have no " + name};
}

}  // namespace

std::vector<LaunchResult> launches_of(const experiment::Plan& plan,
                                      const experiment::CellCalibration* calibration,
                                      const std::string& subject) {
  if (calibration == nullptr || plan.descriptions.empty()) return {};
  const experiment::DeviceDescription& described = plan.descriptions.front().device;
  const Reading<std::int64_t> count = number_of(described, "multiprocessors");
  if (!count) return {};
  model::Multiprocessors device;
  device.count = *count;
  device.threads = number_of(described, "threads-per-multiprocessor");
  device.blocks = number_of(described, "blocks-per-multiprocessor");
  std::vector<LaunchResult> results;
  for (const auto& [name, launches] : calibration->launches) {
    if (name != subject) continue;
    for (const experiment::Launch& launch : launches) {
      results.push_back(
          {launch, model::waves_of({launch.grid, launch.threads, launch.occupancy_frac}, device)});
    }
  }
  return results;
}

Json launch_json(const LaunchResult& result) {
  const experiment::Launch& launch = result.launch;
  Json json{{"kernel", launch.kernel},
            {"grid", launch.grid},
            {"threads", launch.threads},
            {"occupancy_frac", json_of(launch.occupancy_frac)},
            {"occupancy_limited_by", json_of(launch.occupancy_limited_by)}};
  launch.write_spills(json);
  json["resident_blocks"] = json_of(result.waves.resident_blocks);
  json["is_exact"] = result.waves.is_exact;
  json["waves"] = json_of(result.waves.waves);
  json["filling"] = json_of(result.waves.word);
  return json;
}

LaunchResult launch_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  LaunchResult result;
  result.launch.kernel = reader.take<std::string>("kernel");
  result.launch.grid = reader.take<std::int64_t>("grid");
  result.launch.threads = reader.take<std::int64_t>("threads");
  result.launch.occupancy_frac = reader.take_reading<double>("occupancy_frac");
  result.launch.occupancy_limited_by = reader.take_reading<std::string>("occupancy_limited_by");
  result.launch.take_spills(reader);
  result.waves.resident_blocks = reader.take_reading<std::int64_t>("resident_blocks");
  result.waves.is_exact = reader.take<bool>("is_exact");
  result.waves.waves = reader.take_reading<double>("waves");
  result.waves.word = reader.take_reading<std::string>("filling");
  reader.finish();
  return result;
}

}  // namespace assay::judge::detail
