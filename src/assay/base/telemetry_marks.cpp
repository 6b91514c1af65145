// SPDX-License-Identifier: MIT
#include "assay/base/telemetry_marks.hpp"

#include <algorithm>
#include <cstdio>

namespace assay {
namespace {

// By bit.
constexpr std::array<std::string_view, 9> clock_reason_names{
    "idle",       "application-clocks", "sw-power-cap",   "hw-slowdown",   "sync-boost",
    "sw-thermal", "hw-thermal",         "hw-power-brake", "display-clocks"};

bool has_bit(const Telemetry& telemetry, std::int64_t bit) {
  const auto& reasons = telemetry.of(Field::clock_reasons);
  return reasons && (*reasons & bit) != 0;
}

bool advanced(const Reading<std::int64_t>& difference) { return difference && *difference > 0; }

}  // namespace

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
    if (!reason.counter_ns) continue;
    throttling.push_back({reason.slug, advance_of(*reason.counter_ns, before, after)});
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
  return std::any_of(throttle_reasons.begin(), throttle_reasons.end(),
                     [&](const ThrottleReason& reason) {
                       if (reason.counter_ns) {
                         const auto ns = advance_of(*reason.counter_ns, before, after);
                         if (ns) return *ns > 0;
                       }
                       return has_bit(before, reason.bit) || has_bit(after, reason.bit);
                     }) ||
         std::any_of(
             processor_hold_backs.begin(), processor_hold_backs.end(), [&](const HoldBack& each) {
               return advanced(each.is_of_core ? core_advance_of(each.counter, before, after)
                                               : advance_of(each.counter, before, after));
             });
}

bool was_shared(const Telemetry& before, const Telemetry& after) {
  const auto has_others = [](const Telemetry& telemetry) {
    const auto& others = telemetry.of(Field::other_processes);
    return others && *others > 0;
  };
  return has_others(before) || has_others(after);
}

bool was_stolen(const Telemetry& before, const Telemetry& after) {
  const auto of_core = core_advance_of(Field::core_steal_ns, before, after);
  return of_core ? *of_core > 0 : advanced(advance_of(Field::steal_ns, before, after));
}

std::string telemetry_flags(const Telemetry& before, const Telemetry& after) {
  std::string flags;
  const auto add = [&flags](bool is_set, std::string_view flag) {
    if (is_set) flags += (flags.empty() ? "" : " ") + std::string(flag);
  };
  add(was_throttled(before, after), "throttled");
  add(was_shared(before, after), "shared");
  add(was_stolen(before, after), "stolen");
  return flags;
}

}  // namespace assay
