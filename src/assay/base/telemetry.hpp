// SPDX-License-Identifier: MIT
//
// Telemetry: what a device says of itself at one moment, and what two such readings say of the time
// between them. Every value is a Reading: a device that cannot tell its temperature has none, not
// 0.
//
// A sampled state misses what comes and goes between two samples, so throttling is told from
// cumulative counters as far as there are any. Nothing here decides anything: samples are marked,
// never dropped. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay {

struct Telemetry {
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC, before the first value was read
  std::int64_t took_ns = 0;  // until the last one was

  Reading<std::int64_t> sm_clock_hz = Missing{"not-read", ""};
  Reading<std::int64_t> memory_clock_hz = Missing{"not-read", ""};
  Reading<std::int64_t> temperature_c = Missing{"not-read", ""};
  Reading<std::int64_t> power_average_mw = Missing{"not-read", ""};
  Reading<std::int64_t> power_instant_mw = Missing{"not-read", ""};
  Reading<std::int64_t> energy_mj = Missing{"not-read", ""};  // since some moment in the past
  // Why the clocks are what they are now: bits of NVML's nvmlClocksEventReason….
  Reading<std::int64_t> clock_reasons = Missing{"not-read", ""};
  // For how long clocks were held back, since some moment in the past.
  Reading<std::int64_t> sw_power_cap_ns = Missing{"not-read", ""};
  Reading<std::int64_t> sync_boost_ns = Missing{"not-read", ""};
  Reading<std::int64_t> sw_thermal_ns = Missing{"not-read", ""};
  Reading<std::int64_t> hw_thermal_ns = Missing{"not-read", ""};
  Reading<std::int64_t> hw_power_brake_ns = Missing{"not-read", ""};
  Reading<std::int64_t> performance_state = Missing{"not-read", ""};  // 0: the highest
  // That have the device open for computing, without this one.
  Reading<std::int64_t> other_processes = Missing{"not-read", ""};
  Reading<std::int64_t> used_memory_bytes = Missing{"not-read", ""};  // by anyone
};

// The values by name, in the order of the members: the columns of telemetry.csv.
struct TelemetryField {
  std::string_view name;
  Reading<std::int64_t> Telemetry::*member;
};
inline constexpr std::array<TelemetryField, 15> telemetry_fields{{
    {"sm_clock_hz", &Telemetry::sm_clock_hz},
    {"memory_clock_hz", &Telemetry::memory_clock_hz},
    {"temperature_c", &Telemetry::temperature_c},
    {"power_average_mw", &Telemetry::power_average_mw},
    {"power_instant_mw", &Telemetry::power_instant_mw},
    {"energy_mj", &Telemetry::energy_mj},
    {"clock_reasons", &Telemetry::clock_reasons},
    {"sw_power_cap_ns", &Telemetry::sw_power_cap_ns},
    {"sync_boost_ns", &Telemetry::sync_boost_ns},
    {"sw_thermal_ns", &Telemetry::sw_thermal_ns},
    {"hw_thermal_ns", &Telemetry::hw_thermal_ns},
    {"hw_power_brake_ns", &Telemetry::hw_power_brake_ns},
    {"performance_state", &Telemetry::performance_state},
    {"other_processes", &Telemetry::other_processes},
    {"used_memory_bytes", &Telemetry::used_memory_bytes},
}};
// nullptr if there is no such field.
const TelemetryField* find_telemetry_field(std::string_view name);
// The least value that a field may hold: only temperatures are negative.
std::int64_t least_value(const TelemetryField& field);
// Whether a text can be the reason of a missing value: [a-z0-9-]+, as it stands in a table.
bool is_reason(std::string_view text);

// A reason for which clocks are held back.
struct ThrottleReason {
  std::string_view slug;
  std::int64_t bit;                              // in clock_reasons
  Reading<std::int64_t> Telemetry::*counter_ns;  // nullptr: there is none
};
// Without what is no throttling: an idle device, and clocks that somebody asked for. A hardware
// slowdown is also one of the two kinds after it, where the device can tell them apart.
inline constexpr std::array<ThrottleReason, 6> throttle_reasons{{
    {"sw-power-cap", 0x4, &Telemetry::sw_power_cap_ns},
    {"hw-slowdown", 0x8, nullptr},
    {"sync-boost", 0x10, &Telemetry::sync_boost_ns},
    {"sw-thermal", 0x20, &Telemetry::sw_thermal_ns},
    {"hw-thermal", 0x40, &Telemetry::hw_thermal_ns},
    {"hw-power-brake", 0x80, &Telemetry::hw_power_brake_ns},
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

// A counter advanced; or, for a reason whose counter is not known, its bit was set at either end.
bool was_throttled(const Telemetry& before, const Telemetry& after);
// Another process is known to have had the device open for computing at either end.
bool was_shared(const Telemetry& before, const Telemetry& after);
// "", "throttled", "shared", "throttled shared": what is to be added to the flags of each sample
// that was taken between the two.
std::string telemetry_flags(const Telemetry& before, const Telemetry& after);

// What a device used between two readings, by its energy counter.
struct EnergyUse {
  double energy_j = 0;
  double uncertainty_j = 0;
  double window_s = 0;
};
// The counter moves in steps of some 100 ms, so each end may be off by a step at the mean power;
// and its gain is known to a few percent (readings of 68 devices against a meter: 0.87 to 1.06,
// half of them within 2.3 %; arXiv 2312.02741). Between variants on one device in one run the gain
// cancels.
inline constexpr double kEnergyStepS = 0.1;
inline constexpr double kEnergyGainFrac = 0.05;
// Below it the steps are more than a fifth of the energy.
inline constexpr double kEnergyWindowS = 1;
// Missing: as the counter at either end; "went-back"; "window-too-short" below kEnergyWindowS or
// where the counter did not move, which is no energy of 0.
Reading<EnergyUse> energy_between(const Telemetry& before, const Telemetry& after);

}  // namespace assay
