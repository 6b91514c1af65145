// SPDX-License-Identifier: MIT
//
// perf_event_open(2) as a tool: what the processor's own counters and the kernel's say. The
// counting is done by the program itself, from right before the calls to right after them, in its
// threads and in no other process; here is said what, by numbers, and read what came of it.
// Internal.
#pragma once

#include <memory>

#include "assay/profile/tool.hpp"

namespace assay::profile {

inline constexpr const char* perf_name = "perf";

std::unique_ptr<Tool> open_perf(const ToolOptions& options);

// What the program wrote, "assay-counts/1". Throws Error{bad_input} with `where`.
struct CountedEvent {
  std::string event;
  Reading<double> value = Missing{"not-counted", ""};  // scaled up where it had to take turns
  double counted_frac = 1;
};
std::vector<CountedEvent> parse_counts(const std::string& text, const std::string& where);

std::vector<CountedValue> perf_values(const record::Companion& companion,
                                      const record::CounterRun& run,
                                      const std::filesystem::path& data);

}  // namespace assay::profile
