// SPDX-License-Identifier: MIT
//
// Where a series of times changes, and whether it settles.
//
// Cost of a segment: that of a Gaussian with its own mean and variance, n·(log 2πs² + 1). PELT
// (Killick, Fearnhead & Eckley, JASA 107, 2012) finds the segmentation with the least total cost
// plus penalty exactly. The penalty of 15·log n a change is that of Barrett, Bolz-Tereick, Killick,
// Mount & Tratt ("Virtual machine warmup blows hot and cold", OOPSLA'17), far above the usual
// 3·log n, because times in a row resemble each other: the usual one finds changes in three of
// four stationary series with autocorrelation 0.5. At 0.9 the strong one is wrong as well, in about
// a third (docs/explanation/statistics.md). Multiplying by the autocorrelation time would mend
// that and overlook warm-up, which looks like autocorrelation.
//
// Not copied from the same source: the tolerance of two segments there adds a variance to a
// difference of means. Here it is a difference of logarithms that the caller can defend.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::stats {

inline constexpr std::size_t kLeastSegment = 10;
inline constexpr double kChangePenalty = 15;  // times log n

// Spread below this is rounding: values that tie must not make a change out of nothing. A millionth
// of a time is a nanosecond in a millisecond.
inline constexpr double kLeastLogSd = 1e-6;

struct ChangeRule {
  double penalty = 0;                         // of each change, in units of −2·log likelihood
  std::size_t least_segment = kLeastSegment;  // at least 1
  // Where the values of a segment spread less, this counts as their standard deviation: for
  // quantised values, a step ÷ √12. Above 0.
  double least_sd = kLeastLogSd;
};

// The indices at which a new segment begins, ascending; empty: no change. Exactly the optimum of
// all segmentations with segments of at least least_segment. Linear time when changes are many,
// quadratic when there are none: for thousands of values take batch_means first. Values finite.
std::vector<std::size_t> change_points(std::span<const double> values, const ChangeRule& rule);

// Means of `count` runs of neighbours, as equal in length as can be; the values themselves if there
// are no more than that. count ≥ 1.
std::vector<double> batch_means(std::span<const double> values, std::size_t count);

enum class SteadyClass {
  flat,
  warm_up,          // settles at its fastest
  slow_down,        // settles, and was faster before
  no_steady_state,  // still changes in the last half
};
std::string_view to_string(SteadyClass steady);  // "flat", "warm-up", "slow-down", …
std::optional<SteadyClass> steady_class_from_string(std::string_view word);

// Fewer values show only changes of several standard deviations.
inline constexpr std::size_t kLeastForSteady = 50;
// Longer series are batched to so many points: the cost of finding nothing is quadratic.
inline constexpr std::size_t kMostForSteady = 400;

// The class of a series in time order. log_times: finite. tolerance ≥ 0: segments whose means
// differ by less count as one, those that differ least first; typically max(θ/2, r/T). least_sd as
// above, for single values. Missing ("insufficient") below kLeastForSteady values, with the number
// needed.
Reading<SteadyClass> steady_state(std::span<const double> log_times, double tolerance,
                                  double least_sd = kLeastLogSd);

}  // namespace assay::stats
