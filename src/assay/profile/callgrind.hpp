// SPDX-License-Identifier: MIT
//
// Valgrind's callgrind as a tool: executed instructions, exact and the same on every machine and in
// every run, and what a simulated cache would miss. Nothing of it is a property of the processor
// that runs it, which is why it also serves machines that show no counters.
//
// Collecting is switched on and off by valgrind at the entry and the exit of assay_counted_calls:
// the program needs no header of valgrind's, and nothing has to be subtracted. Counted is the
// thread that calls, and no other. Internal.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "assay/profile/tool.hpp"

namespace assay::profile {

inline constexpr const char* callgrind_name = "callgrind";

std::unique_ptr<Tool> open_callgrind(const ToolOptions& options);

std::vector<CountedValue> callgrind_values(const record::Companion& companion,
                                           const record::CounterRun& run,
                                           const std::filesystem::path& data);

// Those of its files that say themselves that they are of another program's command than `once`,
// the words of the program. Throws Error{bad_input} where one cannot be read.
std::vector<std::string> callgrind_files_of_others(const record::CounterRun& run,
                                                   const std::vector<std::string>& once,
                                                   const std::filesystem::path& data);

// The totals by event of one file in the format of callgrind, from its lines "events:" and
// "summary:". Throws Error{bad_input} with `where`.
std::map<std::string, std::uint64_t> parse_callgrind(std::string_view text,
                                                     const std::string& where);

}  // namespace assay::profile
