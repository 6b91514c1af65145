// SPDX-License-Identifier: MIT
//
// What two readings of a device say of the samples between them. A sampled state misses what comes
// and goes between two samples, so marks come from cumulative counters as far as there are any.
// Nothing here decides anything: samples are marked, never dropped. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/telemetry.hpp"

namespace assay {

// A reason for which a GPU's clocks are held back.
struct ThrottleReason {
  std::string_view slug;
  std::int64_t bit;                 // in clock_reasons
  std::optional<Field> counter_ns;  // absent: there is none
};
// Without what is no throttling: an idle device, and clocks that somebody asked for. A hardware
// slowdown is also one of the two kinds after it, where the device can tell them apart.
inline constexpr std::array<ThrottleReason, 6> throttle_reasons{{
    {"sw-power-cap", 0x4, Field::sw_power_cap_ns},
    {"hw-slowdown", 0x8, std::nullopt},
    {"sync-boost", 0x10, Field::sync_boost_ns},
    {"sw-thermal", 0x20, Field::sw_thermal_ns},
    {"hw-thermal", 0x40, Field::hw_thermal_ns},
    {"hw-power-brake", 0x80, Field::hw_power_brake_ns},
}};

// A reason for which a processor is held back, by its counter of events.
struct HoldBack {
  std::string_view slug;
  Field counter;
  bool is_of_core;
};
inline constexpr std::array<HoldBack, 3> processor_hold_backs{{
    {"quota", Field::quota_throttles, false},
    {"core-thermal", Field::core_thermal_throttles, true},
    {"package-thermal", Field::package_thermal_throttles, true},
}};

// "idle", "sw-power-cap", … of a mask, in the order of the bits; "bit-9" for one without a name.
std::vector<std::string> clock_reasons_of(std::int64_t mask);

// For how long one reason held clocks back between two readings.
struct Throttling {
  std::string_view reason;  // a slug of throttle_reasons
  // Missing: as the counter is at either end; "went-back" where it is smaller at the end.
  Reading<std::int64_t> ns = Missing{"not-read", ""};
};
// One for each reason that has a counter.
std::vector<Throttling> throttled_between(const Telemetry& before, const Telemetry& after);
// "sw-power-cap 3.2 ms, sw-thermal 0.5 ms": those that advanced; "" if none did.
std::string throttling_text(const std::vector<Throttling>& throttling);

// A counter advanced; or, for a GPU's reason whose counter is not known, its bit was set at either
// end.
bool was_throttled(const Telemetry& before, const Telemetry& after);
// Another process is known to have had the device open for computing at either end.
bool was_shared(const Telemetry& before, const Telemetry& after);
// The host ran others on the core, or, where the thread changed its core, on any core.
bool was_stolen(const Telemetry& before, const Telemetry& after);
// "", or some of "throttled", "shared", "stolen", separated by blanks: what is to be added to the
// flags of each sample that was taken between the two.
std::string telemetry_flags(const Telemetry& before, const Telemetry& after);

}  // namespace assay
