// SPDX-License-Identifier: MIT
//
// Estimators that a few odd values cannot move far: for display, for flags and as a second opinion.
// No verdict rests on them, and nothing is ever dropped because of them.
#pragma once

#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Median of all (xᵢ + xⱼ)/2, i ≤ j (Hodges & Lehmann 1963): the estimate of a centre of symmetry
// that belongs to sign and rank tests. At least one value; time and memory grow with n².
double hodges_lehmann(std::span<const double> values);

// Median distance from the median, of the values at or below it and of those at or above it. Times
// have a long upper side, which one MAD for both would hide.
struct DoubleMad {
  double lower = 0;
  double upper = 0;
};

// Missing below two values.
Reading<DoubleMad> double_mad(std::span<const double> values);

// Quantile as a weighted sum of all order statistics (Harrell & Davis, Biometrika 69, 1982):
// smoother than a single order statistic. probability in (0, 1); at least one value.
double harrell_davis(std::span<const double> values, double probability);

}  // namespace assay::stats
