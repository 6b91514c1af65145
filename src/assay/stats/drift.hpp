// SPDX-License-Identifier: MIT
//
// Does the level of a series drift over time? Two self-normalised statistics, one for a step and
// one for a slope.
//
// A CUSUM needs the long-run variance of the series; estimating it needs a bandwidth, and a drift
// inflates it. Shao & Zhang ("Testing for change points in time series", JASA 105, 2010) divide by
// a quantity made of the series itself on either side of the supposed change, which neither needs a
// bandwidth nor grows with the change:
//
//   G = max over k of T_k²/V_k,   T_k = (S_k − (k/n)·S_n)/√n,   S_k = x_1 + … + x_k,
//   V_k = n⁻²·[Σ_{i≤k} (S_i − (i/k)·S_k)² + Σ_{i>k} (S_n − S_{i−1} − ((n−i+1)/(n−k))·(S_n − S_k))²]
//
// It finds steps. Of a ramp it finds less the clearer the ramp is: without noise G is 30, below any
// critical value. So the slope of the least-squares line is held against the partial sums P_j of
// its residuals, in the way of Kiefer, Vogelsang & Bunzel ("Simple robust testing of regression
// hypotheses", Econometrica 68, 2000):
//
//   H = (Σ_i ((i − (n+1)/2)/n)·x_i)²/n  ÷  n⁻²·Σ_j P_j²
//
// Null distributions are free of nuisance parameters. The two share the level equally;
// kDriftLevels holds quantiles that tests/stats/simulate_changes.cpp found. Strong autocorrelation
// makes both reject too often in short series, so neighbours are averaged until the lag-1
// autocorrelation is below kMostDriftLag1, and at least kLeastForDrift points must be left. That
// autocorrelation is taken about the suspected drift: about the common mean a step of two standard
// deviations alone gives 0.5, and the more it drifted the less could be said. A level that returns
// escapes both.
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

inline constexpr std::size_t kLeastForDrift = 200;
inline constexpr double kMostDriftLag1 = 0.5;

// From 100,000 series of 1,000 independent normal values.
struct DriftLevel {
  double level;  // of both statistics together
  double step;   // G that half of it passes
  double slope;  // H
};
inline constexpr DriftLevel kDriftLevels[] = {{0.05, 53.6, 9.8}, {0.01, 87.6, 17.5}};

// G; missing below two values and where all tie. O(n), numerically stable for any level and slope.
// A series that is constant on either side of a step has V = 0; V is then as if the values had
// rounding noise of a millionth of their range, so that G stays finite. Values finite.
Reading<double> self_normalised_cusum(std::span<const double> values);

// H; missing below three values and where all tie. For a series that is a line, as G for a step.
Reading<double> self_normalised_slope(std::span<const double> values);

struct Drift {
  bool has_drifted = false;    // at 5 %
  bool is_strong = false;      // at 1 %
  double step_statistic = 0;   // G
  double slope_statistic = 0;  // H
  std::size_t points = 0;      // that they were computed from
  std::size_t batch = 0;       // values averaged into one point
  std::size_t change_at = 0;   // the value from which on the mean differs most clearly from before
  double difference = 0;       // mean from there on minus mean before
};

// values in time order, finite. Missing: "insufficient", with the number of values needed;
// "no-spread" where all tie.
Reading<Drift> drift(std::span<const double> values);

}  // namespace assay::stats
