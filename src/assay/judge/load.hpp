// SPDX-License-Identifier: MIT
//
// What others did to the machine during the run: their load, time that the host gave away, and time
// in which something waited. Whether its level changed, from the readings around the measured
// blocks. It changes no verdict. Internal to judge/.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/judge/result.hpp"
#include "assay/record/telemetry_table.hpp"

namespace assay::judge::detail {

// The two readings around one request of a measured block.
struct Around {
  const record::TelemetryRow* before = nullptr;
  const record::TelemetryRow* after = nullptr;
};

// Of trial 1 and later. Readings come in pairs; of an interrupted record the last may have lost its
// second. The rows must outlive the pairs.
std::vector<Around> measured_pairs(const std::vector<record::TelemetryRow>& rows);

// A disturbance as a rate: what a counter advanced, over the time between the readings. Loads are
// in cores' worth, pressures shares of the time.
struct LoadRate {
  std::string_view name;  // "foreign_load", "steal", "cpu_pressure", …
  std::string_view text;  // for sentences
  Field counter;
  double seconds = 1;                 // of one of its units
  std::optional<Field> without = {};  // what this process did itself, in the same unit
};
std::span<const LoadRate> load_rates();
// Seconds of it between the two readings; missing as the counters are.
Reading<double> seconds_of(const LoadRate& rate, const Telemetry& before, const Telemetry& after);

// One for each rate that the device has the counter of; missing where there are too few readings.
std::vector<LoadResult> loads_of(const std::vector<Around>& pairs);

// "machine.load-changed".
void add_of_loads(std::vector<Finding>& findings, const std::vector<LoadResult>& loads);

}  // namespace assay::judge::detail
