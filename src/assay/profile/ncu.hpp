// SPDX-License-Identifier: MIT
//
// Nsight Compute as a tool: what a GPU counts in the kernels of a call.
//
// The program tells it where to begin and to end (cuProfilerStart, cuProfilerStop), so that no
// kernel has to be found by its name or place: warm-up and eviction are outside, whatever the call
// launches is inside. What needs several passes is counted by running the whole program again for
// each of them
// (--replay-mode application): repeating a kernel would find the caches as its last run left them,
// and no state but warm could be counted. Clocks and caches are left alone. Internal.
#pragma once

#include <memory>

#include "assay/profile/tool.hpp"

namespace assay::profile {

inline constexpr const char* ncu_name = "ncu";

std::unique_ptr<Tool> open_ncu(const ToolOptions& options);

std::vector<CountedValue> ncu_values(const record::Companion& companion,
                                     const record::CounterRun& run,
                                     const std::filesystem::path& data);

}  // namespace assay::profile
