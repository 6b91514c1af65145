// SPDX-License-Identifier: MIT
//
// Are the trials independent of each other? Intervals over trials suppose it.
//
// Ljung & Box, "On a measure of lack of fit in time series models", Biometrika 65, 1978:
// Q = n(n+2)·Σ ρ(k)²/(n−k) over the first h lags, against χ² with h degrees of freedom. Asked at a
// strict level only, as a finding and never as a verdict: with few trials it sees only gross
// dependence.
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

inline constexpr std::size_t kLeastForIndependence = 16;

struct Independence {
  double lag1 = 0;       // autocorrelation of neighbours
  std::size_t lags = 0;  // h: min(10, n/5)
  double statistic = 0;  // Q
  double p = 1;
};

// values in time order, finite. Missing below kLeastForIndependence values ("insufficient") and
// where all tie ("no-spread").
Reading<Independence> ljung_box(std::span<const double> values);

// P(χ² > x), x ≥ 0, for a whole number of degrees of freedom ≥ 1.
double chi_squared_above(double x, std::size_t degrees_of_freedom);

}  // namespace assay::stats
