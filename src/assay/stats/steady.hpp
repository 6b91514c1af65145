// SPDX-License-Identifier: MIT
//
// When has a subject warmed up enough to be measured?
//
// Asked after every warm-up sample, of one subject in one process, in order. Windows of three: the
// median of three is the shortest statistic that one interrupted sample cannot move far, and every
// trial pays for the warm-up in each of its processes. Steady means that the newest window's
// median lies within a tolerance of that of the window before: page faults, lazy binding, a clock
// that is being raised, cold caches are gone when the time stops falling. A ramp slower than the
// tolerance per window passes; what is left of it is common to both sides of a block and cancels in
// the ratio. So this decides when to begin, and is no evidence that the process is in steady state.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

inline constexpr std::size_t kSteadyWindow = 3;

// The tolerance of a plan is the larger of this and the timer's step r/T: two medians of quantised
// times may lie a step apart for ever.
inline constexpr double kSteadyTolerance = 0.02;

// samples: the warm-up so far, in order, finite, not negative. False below two windows. Only the
// newest two windows matter; comparison by |new − before| ≤ relative_tolerance·before.
bool is_steady(std::span<const double> samples, double relative_tolerance);

}  // namespace assay::stats
