// SPDX-License-Identifier: MIT
#include "assay/device/cpu/sensors.hpp"

#include <algorithm>
#include <array>

#include "assay/base/control_group.hpp"

namespace assay::device {
namespace {

constexpr const char* hwmon = "/sys/class/hwmon";
constexpr const char* thermal = "/sys/class/thermal";
constexpr const char* powercap = "/sys/class/powercap";

bool is_one_of(const Reading<std::string>& text, std::initializer_list<std::string_view> names) {
  return text && std::find(names.begin(), names.end(), *text) != names.end();
}

// The inputs of a driver whose label begins so.
std::vector<std::string> labelled(const Sources& sources, const std::string& folder,
                                  std::string_view label) {
  constexpr std::string_view ending = "_label";
  std::vector<std::string> inputs;
  for (const std::string& name : sources.names(folder)) {
    if (!name.starts_with("temp") || !name.ends_with(ending)) continue;
    const auto text = sources.word(folder + "/" + name);
    if (!text || !text->starts_with(label)) continue;
    inputs.push_back(folder + "/" + name.substr(0, name.size() - ending.size()) + "_input");
  }
  return inputs;
}

std::vector<std::string> inputs_of_driver(const Sources& sources, const std::string& folder) {
  const auto driver = sources.word(folder + "/name");
  if (is_one_of(driver, {"coretemp"})) return labelled(sources, folder, "Package id");
  if (is_one_of(driver, {"k10temp", "zenpower"})) {
    // Tctl may lie some degrees above the die's temperature, on purpose.
    auto die = labelled(sources, folder, "Tdie");
    return die.empty() ? labelled(sources, folder, "Tctl") : die;
  }
  if (is_one_of(driver, {"cpu_thermal", "cpu-thermal"})) return {folder + "/temp1_input"};
  return {};
}

std::vector<std::string> temperature_inputs(const Sources& sources) {
  std::vector<std::string> all;
  for (const std::string& name : sources.names(hwmon)) {
    for (auto& input : inputs_of_driver(sources, std::string(hwmon) + "/" + name)) {
      all.push_back(std::move(input));
    }
  }
  if (!all.empty()) return all;
  for (const std::string& name : sources.names(thermal)) {
    const std::string folder = std::string(thermal) + "/" + name;
    if (is_one_of(sources.word(folder + "/type"), {"x86_pkg_temp", "cpu-thermal", "cpu_thermal"})) {
      all.push_back(folder + "/temp");
    }
  }
  return all;
}

}  // namespace

Temperature::Temperature(const Sources& sources) {
  for (const std::string& path : temperature_inputs(sources)) inputs_.emplace_back(sources, path);
}

Reading<std::int64_t> Temperature::read_c() {
  Reading<std::int64_t> highest =
      Missing{"no-sensor", "neither hwmon nor a thermal zone tells of the processor"};
  for (OpenFile& input : inputs_) {
    const auto text = input.text();
    const auto thousandths = text ? integer_from(trimmed(*text)) : text.missing();
    constexpr std::int64_t limit = 1'000'000;
    if (!thousandths || *thousandths < -273'000 || *thousandths > limit) {
      if (!highest) {
        highest = thousandths ? Missing{"not-understood", "found " + std::to_string(*thousandths)}
                              : thousandths.missing();
      }
      continue;
    }
    const std::int64_t degrees = (*thousandths + (*thousandths < 0 ? -500 : 500)) / 1000;
    highest = highest ? std::max(*highest, degrees) : degrees;
  }
  return highest;
}

PackageEnergy::PackageEnergy(const Sources& sources) {
  for (const std::string& name : sources.names(powercap)) {
    // "intel-rapl:0", on AMD too; "intel-rapl:0:1" is a part of it, "intel-rapl-mmio:0" it again.
    constexpr std::string_view beginning = "intel-rapl:";
    if (!name.starts_with(beginning) || name.find(':', beginning.size()) != std::string::npos) {
      continue;
    }
    const std::string folder = std::string(powercap) + "/" + name;
    const auto domain = sources.word(folder + "/name");
    if (!domain || !domain->starts_with("package")) continue;  // "psys" is the whole board
    packages_.push_back({OpenFile(sources, folder + "/energy_uj"),
                         sources.integer(folder + "/max_energy_range_uj")});
  }
}

Reading<std::int64_t> PackageEnergy::read_uj() {
  if (packages_.empty()) {
    return Missing{"no-such-file", std::string(powercap) + " has no package of RAPL"};
  }
  constexpr std::int64_t most_uj = std::int64_t{1} << 60;  // a sum stays a number
  std::int64_t all_uj = 0;
  for (Package& package : packages_) {
    const auto now_uj = package.counter.count();
    if (!now_uj) return now_uj.missing();
    if (package.last_uj >= 0) {
      std::int64_t used_uj = *now_uj - package.last_uj;
      if (used_uj < 0) {
        if (!package.range_uj || *package.range_uj < package.last_uj) {
          return Missing{"not-understood", "a counter of energy went back beyond its range"};
        }
        used_uj += *package.range_uj;
      }
      package.sum_uj = std::min(package.sum_uj, most_uj) + std::min(used_uj, most_uj);
    }
    package.last_uj = *now_uj;
    all_uj = std::min(all_uj, most_uj) + std::min(package.sum_uj, most_uj);
  }
  return all_uj;
}

ControlGroup::ControlGroup(const Sources& sources) {
  const auto group = group_folders(sources, "cpu");
  if (!group) {
    file_ = OpenFile(group.missing());
    return;
  }
  is_version_2_ = group->version == 2;
  file_ = OpenFile(sources, nearest_of_group(sources, *group, "cpu.stat"));
}

ControlGroup::Throttled ControlGroup::read() {
  Throttled throttled;
  throttled.periods = file_.count_of("nr_throttled");
  throttled.time_ns = is_version_2_ ? times(file_.count_of("throttled_usec"), 1000)
                                    : file_.count_of("throttled_time");
  return throttled;
}

}  // namespace assay::device
