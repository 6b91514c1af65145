// SPDX-License-Identifier: MIT
//
// Whether the processor's counters may be read here (perf_event_open(2)). Timing needs none of
// them; they are evidence for why something is fast. Internal to doctor.
#pragma once

#include "assay/base/reading.hpp"
#include "assay/env/fitness.hpp"

namespace assay::doctor {

// True, or why cycles of this process, in the kernel too as a run's telemetry counts them, cannot
// be counted, as PerfCounter says it.
Reading<bool> try_counters();

env::FitnessCheck counters_check(const Reading<bool>& counters);

}  // namespace assay::doctor
