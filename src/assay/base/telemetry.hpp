// SPDX-License-Identifier: MIT
//
// Telemetry: what a device says of itself at one moment. Every value is a Reading: a device that
// cannot tell its temperature has none, not 0. Which fields there are depends on the kind of the
// device; what each of them means is the same for all. What two readings say of the time between
// them is for telemetry_marks.hpp and energy.hpp. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay {

// A new one goes here and into telemetry_fields, in the same place.
enum class Field : std::uint8_t {
  // Of a GPU.
  sm_clock_hz,
  memory_clock_hz,
  temperature_c,  // of a processor too
  power_average_mw,
  power_instant_mw,
  energy_mj,        // since some moment in the past, as all counters
  clock_reasons,    // why the clocks are what they are now: bits of nvmlClocksEventReason…
  sw_power_cap_ns,  // for how long clocks were held back, for this reason …
  sync_boost_ns,    // … and for those
  sw_thermal_ns,
  hw_thermal_ns,
  hw_power_brake_ns,
  performance_state,  // 0: the highest
  other_processes,    // that have the device open for computing, without this one
  used_memory_bytes,  // by anyone
  // Of a processor. "core": of that on which the thread ran when it was read.
  core,
  core_clock_hz,
  cycles,          // of the reading thread …
  cycles_time_ns,  // … while it ran so long
  core_busy_ns,
  busy_ns,     // of all cores, for anyone
  process_ns,  // of all threads of this process
  core_steal_ns,
  steal_ns,  // that the host gave to others
  voluntary_switches,
  involuntary_switches,
  migrations,
  minor_faults,
  major_faults,
  cpu_pressure_us,  // in which something waited for a core, …
  memory_pressure_us,
  io_pressure_us,
  quota_throttles,  // periods in which the control group's quota was spent
  quota_throttled_ns,
  core_thermal_throttles,
  package_thermal_throttles,
  package_energy_uj,  // of all packages
};

struct TelemetryField {
  enum class Kind {
    state,    // a least, a middle and a greatest value say something
    mask,     // bits
    label,    // a name that happens to be a number
    counter,  // only differences mean something
  };
  std::string_view name;  // with its unit: a column of telemetry.csv
  Kind kind;
  std::int64_t least = 0;  // that it may hold
};

inline constexpr std::array<TelemetryField, 37> telemetry_fields{{
    {"sm_clock_hz", TelemetryField::Kind::state},
    {"memory_clock_hz", TelemetryField::Kind::state},
    {"temperature_c", TelemetryField::Kind::state, -273},
    {"power_average_mw", TelemetryField::Kind::state},
    {"power_instant_mw", TelemetryField::Kind::state},
    {"energy_mj", TelemetryField::Kind::counter},
    {"clock_reasons", TelemetryField::Kind::mask},
    {"sw_power_cap_ns", TelemetryField::Kind::counter},
    {"sync_boost_ns", TelemetryField::Kind::counter},
    {"sw_thermal_ns", TelemetryField::Kind::counter},
    {"hw_thermal_ns", TelemetryField::Kind::counter},
    {"hw_power_brake_ns", TelemetryField::Kind::counter},
    {"performance_state", TelemetryField::Kind::state},
    {"other_processes", TelemetryField::Kind::state},
    {"used_memory_bytes", TelemetryField::Kind::state},
    {"core", TelemetryField::Kind::label},
    {"core_clock_hz", TelemetryField::Kind::state},
    {"cycles", TelemetryField::Kind::counter},
    {"cycles_time_ns", TelemetryField::Kind::counter},
    {"core_busy_ns", TelemetryField::Kind::counter},
    {"busy_ns", TelemetryField::Kind::counter},
    {"process_ns", TelemetryField::Kind::counter},
    {"core_steal_ns", TelemetryField::Kind::counter},
    {"steal_ns", TelemetryField::Kind::counter},
    {"voluntary_switches", TelemetryField::Kind::counter},
    {"involuntary_switches", TelemetryField::Kind::counter},
    {"migrations", TelemetryField::Kind::counter},
    {"minor_faults", TelemetryField::Kind::counter},
    {"major_faults", TelemetryField::Kind::counter},
    {"cpu_pressure_us", TelemetryField::Kind::counter},
    {"memory_pressure_us", TelemetryField::Kind::counter},
    {"io_pressure_us", TelemetryField::Kind::counter},
    {"quota_throttles", TelemetryField::Kind::counter},
    {"quota_throttled_ns", TelemetryField::Kind::counter},
    {"core_thermal_throttles", TelemetryField::Kind::counter},
    {"package_thermal_throttles", TelemetryField::Kind::counter},
    {"package_energy_uj", TelemetryField::Kind::counter},
}};
static_assert(telemetry_fields.size() == static_cast<std::size_t>(Field::package_energy_uj) + 1);

constexpr const TelemetryField& facts_of(Field field) {
  return telemetry_fields[static_cast<std::size_t>(field)];
}
constexpr std::string_view name_of(Field field) { return facts_of(field).name; }
// Missing "unknown" if there is no such field.
Reading<Field> telemetry_field(std::string_view name);
// Whether a text can be the reason of a missing value: [a-z0-9-]+, as it stands in a table.
bool is_reason(std::string_view text);

// The fields of a kind of device, in the order of telemetry_fields.
std::span<const Field> gpu_fields();
std::span<const Field> processor_fields();

class Telemetry {
 public:
  // Without fields.
  Telemetry() = default;
  // With these, each missing as `why`.
  explicit Telemetry(std::span<const Field> fields, const Missing& why = {"not-read", ""});

  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC, before the first value was read
  std::int64_t took_ns = 0;  // until the last one was

  // Missing, "not-given", for a field that the device does not have.
  const Reading<std::int64_t>& of(Field field) const;
  bool has(Field field) const;
  // Adds the field if it is not there.
  void set(Field field, Reading<std::int64_t> value);

  // In the order of telemetry_fields.
  const std::vector<std::pair<Field, Reading<std::int64_t>>>& values() const { return values_; }
  std::vector<Field> fields() const;

  // The same moment with just these fields: those that it lacks are missing, "not-given".
  Telemetry with_fields(std::span<const Field> fields) const;

 private:
  std::vector<std::pair<Field, Reading<std::int64_t>>> values_;
};

// The difference of a counter; missing as at either end, or "went-back".
Reading<std::int64_t> advance_of(Field counter, const Telemetry& before, const Telemetry& after);
// The same of what is counted for a core: "other-core" where the ends are of different ones.
Reading<std::int64_t> core_advance_of(Field counter, const Telemetry& before,
                                      const Telemetry& after);

}  // namespace assay
