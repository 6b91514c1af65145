// SPDX-License-Identifier: MIT
#include "assay/report/device_words.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
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
                        gap.readings, device.readings, gap.reason);
  }
  if (text.empty() && column.name == "energy_mj" && !device.energy) {
    text = "unknown (" + device.energy.missing().reason + ")";
  }
  return text;
}

constexpr std::array<Column, 3> processor_states{{
    {"mean_clock_hz", "clock, mean of each block", 1e6, " MHz"},
    {"core_clock_hz", "clock at the moment", 1e6, " MHz"},
    {"temperature_c", "temperature", 1, " °C"},
}};

// A processor tells by counters.
bool is_processor(const judge::DeviceResult& device) { return !device.loads.empty(); }

std::string load_name(const std::string& quantity) {
  if (quantity == "foreign_load") return "load by other processes";
  if (quantity == "steal") return "time that the host gave to others";
  return "waiting for " + std::string(quantity == "cpu_pressure"      ? "a core"
                                      : quantity == "memory_pressure" ? "memory"
                                                                      : "a disk");
}

std::string load_amount(const std::string& quantity, double value) {
  if (quantity == "foreign_load" || quantity == "steal") {
    return fmt::format("{:.2f} cores' worth", value);
  }
  return judge::percent_text(value) + " of the time";
}

std::string load_text(const judge::LoadResult& load) {
  if (!load.median) return "unknown (" + load.median.missing().reason + ")";
  std::string text = load_amount(load.quantity, *load.median) + " (median of " +
                     std::to_string(load.windows) + " windows)";
  if (!load.changes) return text + "; changes unknown (" + load.changes.missing().reason + ")";
  if (load.changes->empty()) return text + "; no change in level";
  for (const judge::LoadChange& change : *load.changes) {
    text +=
        fmt::format("; from {:.2f} to {:.2f} in trial {}, {} after the first block", change.before,
                    change.after, change.trial, judge::time_text(change.after_s * 1e9));
  }
  return text;
}

// "no-such-file: core_clock_hz, temperature_c".
std::string gaps_of(const judge::DeviceResult& device) {
  std::map<std::string, std::string> by_reason;
  for (const judge::DeviceGap& gap : device.missing) {
    std::string& names = by_reason[gap.reason];
    names += (names.empty() ? "" : ", ") + gap.name;
    if (gap.readings < device.readings) {
      names += fmt::format(" ({} of {} readings)", gap.readings, device.readings);
    }
  }
  std::string text;
  for (const auto& [reason, names] : by_reason) {
    text += (text.empty() ? "" : "; ") + reason + ": " + names;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> processor_rows(const judge::DeviceResult& device) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Column& column : processor_states) {
    if (const auto* quantity = quantity_of(device, column.name)) {
      rows.emplace_back(column.text, range_with_median(*quantity, column));
    }
  }
  for (const judge::LoadResult& load : device.loads) {
    rows.emplace_back(load_name(load.quantity), load_text(load));
  }
  for (const judge::DeviceCounter& counter : device.counters) {
    rows.emplace_back(counter.name, fmt::format("{}, in {} of {} blocks", counter.advance,
                                                counter.blocks, counter.known_blocks));
  }
  rows.emplace_back("energy (RAPL)", device.energy
                                         ? energy_text_of(*device.energy)
                                         : "unknown (" + device.energy.missing().reason + ")");
  for (const judge::DeviceCount& each : device.flagged) {
    rows.emplace_back("samples flagged '" + each.name + "'", std::to_string(each.count));
  }
  if (const std::string gaps = gaps_of(device); !gaps.empty()) rows.emplace_back("not known", gaps);
  return rows;
}

std::string processor_sentence(const judge::DeviceResult& device) {
  std::string text = "Machine during the run: ";
  for (const Column& column : processor_states) {
    const auto* quantity = quantity_of(device, column.name);
    if (quantity != nullptr)
      text += std::string(column.text) + " " + range_with_median(*quantity, column) + "; ";
  }
  for (const judge::LoadResult& load : device.loads) {
    if (!load.median || (load.quantity != "foreign_load" && load.quantity != "steal")) continue;
    text += load_name(load.quantity) + " " + load_amount(load.quantity, *load.median) + "; ";
  }
  std::string flags;
  for (const judge::DeviceCount& each : device.flagged) {
    if (each.count == 0) continue;
    flags += fmt::format("{}{} {}", flags.empty() ? "" : ", ", each.name, each.count);
  }
  return text + "samples marked: " + (flags.empty() ? "none" : flags) + ".";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> device_rows(const judge::DeviceResult& device) {
  if (is_processor(device)) return processor_rows(device);
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
  if (is_processor(device)) return processor_sentence(device);
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

std::string memory_text(const MemoryUse& use) {
  const auto megabytes = [](std::int64_t bytes) {
    return fmt::format("{:.4g} MB", static_cast<double>(bytes) * 1e-6);
  };
  const bool is_device = use.capacity_of == "device";
  std::string text = "allocated by Assay " + megabytes(use.allocated_bytes) + ", ";
  text += (is_device ? "in use on the device " : "peak of the process ") +
          (use.peak_bytes ? megabytes(*use.peak_bytes)
                          : "unknown (" + use.peak_bytes.missing().reason + ")");
  if (use.swapped_bytes && *use.swapped_bytes > 0) {
    text += ", swapped out " + megabytes(*use.swapped_bytes);
  }
  if (use.remote_bytes && *use.remote_bytes > 0) {
    text += ", on other nodes " + megabytes(*use.remote_bytes);
  }
  if (use.managed_bytes && *use.managed_bytes > 0) {
    text += ", managed memory of its own " + megabytes(*use.managed_bytes) +
            " (which the driver may keep in the host's memory)";
  }
  const auto fits = use.fits();
  if (!fits) return text + "; whether it fits is unknown";
  text += *fits ? "; fits" : "; does not fit";
  if (const auto spare = use.spare_bytes()) {
    text += fmt::format(", {} {} ({})", megabytes(std::abs(*spare)), *spare < 0 ? "short" : "spare",
                        use.capacity_of);
  }
  return text;
}

}  // namespace assay::report
