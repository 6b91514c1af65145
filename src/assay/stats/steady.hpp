// SPDX-License-Identifier: MIT
//
// When has a subject warmed up enough to be measured?
//
// Asked after every warm-up sample, of one subject in one process, in order. What warming up means
// is that the time falls: page faults, lazy binding, a clock that is being raised, cold caches. So
// it is over when the time has stopped falling: when the newest window's median is no longer below
// all of the window before it. Windows of three: the median of three is the shortest statistic that
// one interrupted sample cannot move far, and every trial pays for the warm-up in each of its
// processes. Asking that two medians agree within some percent would wait for a coincidence where
// single samples scatter by more than that; against the least of the window before, scatter alone
// passes four times in five. A ramp slower than the tolerance per window passes too; what is left
// of it is common to both sides of a block and cancels in the ratio. So this decides when to begin,
// and is no evidence that the process is in steady state.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

inline constexpr std::size_t kSteadyWindow = 3;

// The tolerance of a plan is the larger of this and the timer's step r/T: two medians of quantised
// times may lie a step apart for ever.
inline constexpr double kSteadyTolerance = 0.02;

// samples: the warm-up so far, in order, finite, not negative. False below two windows. Only the
// newest two windows matter: true if the newest one's median is at least (1 − relative_tolerance)
// times the least of the one before.
bool is_steady(std::span<const double> samples, double relative_tolerance);

}  // namespace assay::stats
