// SPDX-License-Identifier: MIT
//
// Student's t for the mean of independent values: interval and one-sided p-values.
//
// For values that are one per trial, never for the samples inside one process: those are
// correlated, and the interval would be far too narrow. For paired differences in a balanced design
// this is the mixed model with random trial effects, and the top level of Kalibera & Jones,
// "Rigorous benchmarking in reasonable time", ISMM'13.
#pragma once

#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

// Quantile of Student's t. probability in (0, 1), degrees_of_freedom > 0.
double t_quantile(double probability, double degrees_of_freedom);

// P(T ≤ t).
double t_cdf(double t, double degrees_of_freedom);

// Two-sided interval of the mean at confidence_level in (0, 1), never narrower than
// ± half_width_floor: the timer may not support what the scatter of the values suggests. Missing
// below two values ("too-few-values"), and when all values tie and no floor is known
// ("no-spread"): equal values mean that the spread was not seen, not that it is zero.
Reading<Interval> t_interval(std::span<const double> values, double confidence_level,
                             double half_width_floor = 0);

// p of "the mean is at most bound", against above; and of "the mean is at least bound", against
// below. Missing as t_interval without a floor.
Reading<double> t_p_above(std::span<const double> values, double bound);
Reading<double> t_p_below(std::span<const double> values, double bound);

// Spread below this counts as none: the values are logarithms or times in seconds, and 1e-12 of
// them is what rounding leaves of values that tie.
inline constexpr double kNoRelativeSpread = 1e-12;

// Whether the values tie, up to rounding. At least one value.
bool has_no_spread(std::span<const double> values);
// Why such values, so many of them, give no test.
Missing no_spread(std::size_t count);

}  // namespace assay::stats
