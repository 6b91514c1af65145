// SPDX-License-Identifier: MIT
//
// Interval of a quantile of one autocorrelated series: what the samples of one process say about
// that process.
//
// Samples in a row resemble each other, so n of them carry the information of fewer. Order
// statistics are chosen as if there were ESS independent ones, the effective sample size of the
// indicator "at or below the quantile" (Vehtari, Gelman, Simpson, Carpenter & Bürkner, Bayesian
// Analysis 16, 2021; `ess_quantile` of R's posterior). Deterministic, unchanged by any monotone
// transformation, and outliers count only by their rank. A stationary bootstrap covers no better
// and needs a seed and a block length. Scope: this process only. For a claim over processes take
// one value from each, and a t interval.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {

// Below so many effective samples on the thinner side of the quantile the coverage breaks down
// (0.70 at a nominal 0.95 where simulated), so no interval is given.
inline constexpr double kLeastEffectiveTail = 20;

// Autocorrelation at lags 0 … max_lag (divisor n at every lag). Missing for fewer than two values
// or values that all tie. max_lag < n.
Reading<std::vector<double>> autocorrelation(std::span<const double> series, std::size_t max_lag);

// n/τ, at most n, with τ = −1 + 2·(sum of the pairs ρ(2k) + ρ(2k+1) while positive, made
// non-increasing): Geyer's initial monotone sequence, Statistical Science 7, 1992. A series whose
// values all tie counts n. At least one value.
double effective_sample_size(std::span<const double> series);

// The same of the indicator "at or below the quantile": how many independent samples would tell as
// much about that quantile. probability in (0, 1); at least one finite value.
double effective_sample_size(std::span<const double> series, double probability);

// The same for those who know the quantile.
double effective_sample_size_below(std::span<const double> series, double threshold);

struct QuantileInterval {
  double estimate = 0;  // type 7
  Interval interval;    // two order statistics
  double effective_samples = 0;
};

// series in time order, finite; probability and confidence_level in (0, 1). Missing
// ("insufficient-effective-samples") when ESS·min(p, 1−p) < kLeastEffectiveTail.
Reading<QuantileInterval> quantile_interval(std::span<const double> series, double probability,
                                            double confidence_level);

}  // namespace assay::stats
