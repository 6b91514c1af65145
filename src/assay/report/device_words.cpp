// SPDX-License-Identifier: MIT
#include "assay/report/device_words.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "assay/judge/text.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

struct Column {
  std::string_view name;  // of telemetry.csv
  std::string_view text;
  double unit;  // that many of the column's
  std::string_view unit_text;
};
constexpr std::array<Column, 15> device_columns{{
    {"sm_clock_hz", "SM clock", 1e6, " MHz"},
    {"memory_clock_hz", "memory clock", 1e6, " MHz"},
    {"temperature_c", "temperature", 1, " °C"},
    {"power_average_mw", "power, mean of the last second", 1e3, " W"},
    {"power_instant_mw", "power at the moment", 1e3, " W"},
    {"performance_state", "performance state (0: highest)", 1, ""},
    {"other_processes", "other processes", 1, ""},
    {"used_memory_bytes", "memory in use, by anyone", 1e9, " GB"},
    {"energy_mj", "energy", 1e3, " J"},
    {"clock_reasons", "reasons for the clocks", 1, ""},
    {"sw_power_cap_ns", "held back, sw-power-cap", 1, ""},
    {"sync_boost_ns", "held back, sync-boost", 1, ""},
    {"sw_thermal_ns", "held back, sw-thermal", 1, ""},
    {"hw_thermal_ns", "held back, hw-thermal", 1, ""},
    {"hw_power_brake_ns", "held back, hw-power-brake", 1, ""},
}};

const judge::DeviceQuantity* quantity_of(const judge::DeviceResult& device, std::string_view name) {
  for (const judge::DeviceQuantity& each : device.quantities) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string range_with_median(const judge::DeviceQuantity& quantity, const Column& column) {
  if (quantity.least == quantity.greatest) {
    return fmt::format("{:.4g}{}", quantity.least / column.unit, column.unit_text);
  }
  return fmt::format("{:.4g} to {:.4g}{}, median {:.4g}{}", quantity.least / column.unit,
                     quantity.greatest / column.unit, column.unit_text,
                     quantity.median / column.unit, column.unit_text);
}

std::string throttling_text_of(const judge::DeviceThrottling& each, std::int64_t blocks) {
  if (each.blocks == 0) return "never";
  return fmt::format("{} in {} of {} blocks",
                     judge::time_text(static_cast<double>(each.advance_ns)), each.blocks, blocks);
}

std::string reasons_for_clocks(const judge::DeviceResult& device) {
  std::string text;
  for (const judge::DeviceCount& each : device.clock_reasons) {
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", each.name, each.count);
  }
  return text.empty() ? "" : text + " readings";
}

// Three digits or more, never a power of ten.
std::string joules(double energy_j) {
  return energy_j >= 100 ? fmt::format("{:.0f} J", energy_j) : fmt::format("{:.3g} J", energy_j);
}

std::string energy_text_of(const judge::DeviceEnergy& energy) {
  return fmt::format("{} ± {} over {} in {} processes, pauses between blocks included",
                     joules(energy.energy_j), joules(energy.uncertainty_j),
                     judge::time_text(energy.window_s * 1e9), energy.processes);
}

std::string value_of(const judge::DeviceResult& device, const Column& column) {
  if (const auto* quantity = quantity_of(device, column.name)) {
    return range_with_median(*quantity, column);
  }
  if (column.name == "clock_reasons") return reasons_for_clocks(device);
  if (column.name == "energy_mj" && device.energy) return energy_text_of(*device.energy);
  for (const judge::DeviceThrottling& each : device.throttling) {
    if (column.text == "held back, " + each.reason) return throttling_text_of(each, device.blocks);
  }
  return "";
}

std::string missing_of(const judge::DeviceResult& device, const Column& column) {
  std::string text;
  for (const judge::DeviceGap& gap : device.missing) {
    if (gap.name != column.name) continue;
    text += fmt::format("{}unknown in {} of {} readings ({})", text.empty() ? "" : "; ",
                        gap.readings, 2 * device.blocks, gap.reason);
  }
  if (text.empty() && column.name == "energy_mj" && !device.energy) {
    text = "unknown (" + device.energy.missing().reason + ")";
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> device_rows(const judge::DeviceResult& device) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Column& column : device_columns) {
    const std::string value = value_of(device, column);
    const std::string missing = missing_of(device, column);
    if (value.empty() && missing.empty()) continue;
    rows.emplace_back(column.text,
                      value + (value.empty() || missing.empty() ? "" : "; ") + missing);
  }
  rows.emplace_back("blocks in which clocks were held back",
                    fmt::format("{} of {}", device.throttled_blocks, device.blocks));
  rows.emplace_back("blocks with another process on the device",
                    fmt::format("{} of {}{}", device.shared_blocks, device.blocks,
                                device.unknown_shared_blocks > 0
                                    ? fmt::format(", unknown in {}", device.unknown_shared_blocks)
                                    : ""));
  for (const judge::DeviceCount& each : device.flagged) {
    rows.emplace_back("samples flagged '" + each.name + "'", std::to_string(each.count));
  }
  return rows;
}

std::string device_sentence(const judge::DeviceResult& device) {
  std::string text = "Device during the run: ";
  for (const Column& column : device_columns) {
    const auto* quantity = quantity_of(device, column.name);
    const bool is_told = column.name == "sm_clock_hz" || column.name == "temperature_c" ||
                         column.name == "power_average_mw";
    if (!is_told || quantity == nullptr) continue;
    text += fmt::format("{} {}; ", column.name == "power_average_mw" ? "power" : column.text,
                        range_with_median(*quantity, column));
  }
  text +=
      fmt::format("clocks held back in {} of {} blocks", device.throttled_blocks, device.blocks);
  if (device.unknown_shared_blocks == device.blocks) return text + "; other processes unknown.";
  return text + fmt::format("; another process in {}{}.", device.shared_blocks,
                            device.unknown_shared_blocks > 0
                                ? fmt::format(", unknown in {}", device.unknown_shared_blocks)
                                : "");
}

}  // namespace assay::report
