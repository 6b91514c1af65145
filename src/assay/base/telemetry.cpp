// SPDX-License-Identifier: MIT
#include "assay/base/telemetry.hpp"

#include <algorithm>
#include <cstdio>

namespace assay {
namespace {

// By bit.
constexpr std::array<std::string_view, 9> clock_reason_names{
    "idle",       "application-clocks", "sw-power-cap",   "hw-slowdown",   "sync-boost",
    "sw-thermal", "hw-thermal",         "hw-power-brake", "display-clocks"};

// The difference of a cumulative counter.
Reading<std::int64_t> advance(const Reading<std::int64_t>& before,
                              const Reading<std::int64_t>& after) {
  if (!before) return before.missing();
  if (!after) return after.missing();
  if (*after < *before) {
    return Missing{"went-back", "the counter was " + std::to_string(*before) + " and then " +
                                    std::to_string(*after) + ": it was set back meanwhile"};
  }
  return *after - *before;
}

bool has_bit(const Telemetry& telemetry, std::int64_t bit) {
  return telemetry.clock_reasons && (*telemetry.clock_reasons & bit) != 0;
}

}  // namespace

const TelemetryField* find_telemetry_field(std::string_view name) {
  const auto found =
      std::find_if(telemetry_fields.begin(), telemetry_fields.end(),
                   [name](const TelemetryField& field) { return field.name == name; });
  return found == telemetry_fields.end() ? nullptr : &*found;
}

std::int64_t least_value(const TelemetryField& field) {
  constexpr std::int64_t absolute_zero_c = -273;
  return field.name == "temperature_c" ? absolute_zero_c : 0;
}

bool is_reason(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::vector<std::string> clock_reasons_of(std::int64_t mask) {
  std::vector<std::string> names;
  for (std::size_t bit = 0; bit < 63; ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    names.push_back(bit < clock_reason_names.size() ? std::string(clock_reason_names[bit])
                                                    : "bit-" + std::to_string(bit));
  }
  return names;
}

std::vector<Throttling> throttled_between(const Telemetry& before, const Telemetry& after) {
  std::vector<Throttling> throttling;
  for (const ThrottleReason& reason : throttle_reasons) {
    if (reason.counter_ns == nullptr) continue;
    throttling.push_back(
        {reason.slug, advance(before.*reason.counter_ns, after.*reason.counter_ns)});
  }
  return throttling;
}

std::string throttling_text(const std::vector<Throttling>& throttling) {
  std::string text;
  for (const Throttling& each : throttling) {
    if (!each.ns || *each.ns == 0) continue;
    char duration[32];
    std::snprintf(duration, sizeof duration, "%.4g ms", static_cast<double>(*each.ns) * 1e-6);
    text += (text.empty() ? "" : ", ") + std::string(each.reason) + " " + duration;
  }
  return text;
}

bool was_throttled(const Telemetry& before, const Telemetry& after) {
  return std::any_of(
      throttle_reasons.begin(), throttle_reasons.end(), [&](const ThrottleReason& reason) {
        if (reason.counter_ns != nullptr) {
          const auto ns = advance(before.*reason.counter_ns, after.*reason.counter_ns);
          if (ns) return *ns > 0;
        }
        return has_bit(before, reason.bit) || has_bit(after, reason.bit);
      });
}

bool was_shared(const Telemetry& before, const Telemetry& after) {
  const auto has_others = [](const Telemetry& telemetry) {
    return telemetry.other_processes && *telemetry.other_processes > 0;
  };
  return has_others(before) || has_others(after);
}

std::string telemetry_flags(const Telemetry& before, const Telemetry& after) {
  std::string flags;
  if (was_throttled(before, after)) flags = "throttled";
  if (was_shared(before, after)) flags += flags.empty() ? "shared" : " shared";
  return flags;
}

Reading<EnergyUse> energy_between(const Telemetry& before, const Telemetry& after) {
  const Reading<std::int64_t> used_mj = advance(before.energy_mj, after.energy_mj);
  if (!used_mj) return used_mj.missing();
  EnergyUse use;
  use.window_s = static_cast<double>(after.time_ns - before.time_ns) * 1e-9;
  if (use.window_s < kEnergyWindowS || *used_mj == 0) {
    return Missing{"window-too-short",
                   "the counter moves in steps of some 100 ms: a difference over " +
                       std::to_string(use.window_s) + " s says too little"};
  }
  use.energy_j = static_cast<double>(*used_mj) * 1e-3;
  const double power_w = use.energy_j / use.window_s;
  use.uncertainty_j = 2 * power_w * kEnergyStepS + kEnergyGainFrac * use.energy_j;
  return use;
}

}  // namespace assay
