// SPDX-License-Identifier: MIT
//
// Descriptive statistics of one set of values: what a table or a page shows beside an estimate.
//
// They describe; none of them decides. A spread of one value, or the 99th percentile of ten, is not
// 0 and not the maximum: it is unknown, and says so. The order of the values never matters. All
// functions take finite values only: a NaN here is a bug of the caller, because a reading that
// failed must have been left out, with its reason, before.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Share cut from each end by the trimmed mean of a Summary.
inline constexpr double kTrimFraction = 0.1;

struct Summary {
  std::size_t count = 0;
  Reading<double> mean;
  Reading<double> median;
  Reading<double> standard_deviation;  // n − 1
  Reading<double> mad;                 // unscaled
  Reading<double> trimmed_mean;        // kTrimFraction from each end
  Reading<double> min;
  Reading<double> max;
  Reading<double> p5;  // missing below 20 values, as p95; p99 below 100
  Reading<double> p95;
  Reading<double> p99;
};

// Fields that the number of values does not allow are missing ("too-few-values").
Summary summarise(std::span<const double> values);

// At least one value.
double mean(std::span<const double> values);
double median(std::span<const double> values);

// The empirical quantile, linear between order statistics (type 7 of Hyndman & Fan, The American
// Statistician 50, 1996; the default of R and NumPy). probability in [0, 1]; at least one value.
double quantile(std::span<const double> values, double probability);

// The same, or missing where fewer than 1/(1−p) (below the median 1/p) values stand behind it: then
// the "quantile" would be the extreme value under another name.
Reading<double> supported_quantile(std::span<const double> values, double probability);

// Two passes, divisor n − 1. The textbook E[x²] − E[x]² loses every digit for times in nanoseconds.
// Missing below two values.
Reading<double> standard_deviation(std::span<const double> values);

// Median of the distances from the median, not scaled to a normal's σ (× 1.4826). Missing below two
// values.
Reading<double> median_absolute_deviation(std::span<const double> values);

// Mean of what is left when floor(fraction·n) values are cut from each end. fraction in [0, 0.5).
double trimmed_mean(std::span<const double> values, double fraction);

// Geometric mean; all values above 0. The only mean of ratios that does not depend on which side is
// called the baseline.
double geometric_mean(std::span<const double> values);

// Standard deviation within groups, pooled over groups: sqrt(Σ squares about the own mean ÷
// Σ(nᵢ − 1)). Missing when no group has two values. Used for the spread of samples within a trial.
Reading<double> pooled_standard_deviation(std::span<const std::vector<double>> groups);

// What one group adds to it, for those who pool the same groups time and again: nothing if it has
// fewer than two values.
struct GroupSpread {
  double squares = 0;  // about the group's mean
  double degrees_of_freedom = 0;
};
GroupSpread spread_within(std::span<const double> group);
Reading<double> pooled_standard_deviation(std::span<const GroupSpread> groups);

}  // namespace assay::stats
