// SPDX-License-Identifier: MIT
//
// counters.csv of a companion record: what a tool counted in calls of a subject, beside the record
// that timed them. Counts are those of all counted calls together: what one call needs is for
// whoever reads them to divide, and a count stays the whole number that the tool gave.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::record {

struct Counter {
  std::int64_t run = 0;  // of companion.json, whose number it is
  std::string problem;
  std::string case_id;
  std::string state;
  std::string build;
  std::string subject;
  // The place among what the device ran in the calls, from 1, and its name; 0 and empty: of all
  // that was counted together.
  std::int64_t launch = 0;
  std::string kernel;
  std::string metric;
  std::string unit;
  std::int64_t calls = 1;
  // The file keeps the reason of a missing one, not its detail.
  Reading<double> value = Missing{"not-counted", ""};
  // The share of the time in which the counter counted: below 1 the value was scaled up by it.
  double counted_frac = 1;
};

inline constexpr const char* counters_name = "counters.csv";
inline constexpr std::string_view counters_header =
    "run,problem,case,state,build,subject,launch,kernel,metric,unit,calls,value,counted_frac,"
    "missing";

// Caller's bugs: a value that is not finite, a share outside of (0, 1], calls below 1. Throws
// Error{bad_input} if a text holds a control character.
void append_csv(std::string& out, const Counter& counter);

// As parse_samples in tables.hpp; nothing may be cut off.
std::vector<Counter> parse_counters(std::string_view text, std::string_view where);
std::vector<Counter> read_counters(const std::filesystem::path& file);

}  // namespace assay::record
