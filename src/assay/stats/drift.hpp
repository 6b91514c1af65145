// SPDX-License-Identifier: MIT
//
// Does the level of a series drift over time? A self-normalised CUSUM.
//
// A CUSUM needs the long-run variance of the series; estimating it needs a bandwidth, and a drift
// inflates it. Shao & Zhang ("Testing for change points in time series", JASA 105, 2010) divide by
// a quantity made of the series itself on either side of the supposed change, which neither needs a
// bandwidth nor grows with the change:
//
//   G = max over k of T_k²/V_k,   T_k = (S_k − (k/n)·S_n)/√n,   S_k = x_1 + … + x_k,
//   V_k = n⁻²·[Σ_{i≤k} (S_i − (i/k)·S_k)² + Σ_{i>k} (S_n − S_{i−1} − ((n−i+1)/(n−k))·(S_n − S_k))²]
//
// Its null distribution is free of nuisance parameters; kDriftCritical holds quantiles that
// `simulate_stats drift` found. Strong autocorrelation makes it reject too often in short series, so
// neighbours are averaged until the lag-1 autocorrelation is below kMostDriftLag1, and at least
// kLeastForDrift points must be left. That autocorrelation is taken about the suspected drift: about
// the common mean a step of two standard deviations alone gives 0.5, and the more it drifted the
// less could be said. One change and slow ramps are what it finds; a level that returns may escape.
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

inline constexpr std::size_t kLeastForDrift = 200;
inline constexpr double kMostDriftLag1 = 0.5;

struct DriftCritical {
  double level;
  double value;
};
// Ascending in value. Asymptotic: 100,000 Gaussian series of 1,000 points, to about 1 %.
inline constexpr DriftCritical kDriftCritical[] = {{0.05, 40.0}, {0.01, 71.6}};

// G; missing below two values and where all tie. O(n), numerically stable for any level and slope.
// A series that is constant on either side of a step has V = 0; V is then as if the values had
// rounding noise of a millionth of their range, so that G stays finite. Values finite.
Reading<double> self_normalised_cusum(std::span<const double> values);

struct Drift {
  bool has_drifted = false;  // at 5 %
  bool is_strong = false;    // at 1 %
  double statistic = 0;      // G
  std::size_t points = 0;    // that it was computed from
  std::size_t batch = 0;     // values averaged into one point
  std::size_t change_at = 0;  // the value with which the later part begins, where |S_k − k·mean| peaks
  double difference = 0;      // mean of the later part minus that of the earlier one
};

// values in time order, finite. Missing: "insufficient", with the number of values needed where
// that can be said; "no-spread" where all tie.
Reading<Drift> drift(std::span<const double> values);

}  // namespace assay::stats
