// SPDX-License-Identifier: MIT
#include "assay/stats/quantile_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// Σ over t of c(t)·c(t + lag), c: distance from the mean.
double lagged_products(std::span<const double> centred, std::size_t lag) {
  detail::Sum sum;
  for (std::size_t t = 0; t + lag < centred.size(); ++t) sum.add(centred[t] * centred[t + lag]);
  return sum.value();
}

std::vector<double> centred(std::span<const double> series) {
  const double centre = mean(series);
  std::vector<double> distances(series.begin(), series.end());
  for (double& d : distances) d -= centre;
  return distances;
}

}  // namespace

Reading<std::vector<double>> autocorrelation(std::span<const double> series, std::size_t max_lag) {
  ASSAY_EXPECTS(detail::all_finite(series));
  ASSAY_EXPECTS(max_lag < std::max<std::size_t>(series.size(), 1));
  if (series.size() < 2) return Missing{"too-few-values", "needs at least 2 values"};
  if (has_no_spread(series)) return Missing{"no-spread", "all values tie"};
  const auto distances = centred(series);
  const double variance = lagged_products(distances, 0);
  std::vector<double> result(max_lag + 1);
  for (std::size_t lag = 0; lag <= max_lag; ++lag) {
    result[lag] = lagged_products(distances, lag) / variance;
  }
  return result;
}

double effective_sample_size(std::span<const double> series) {
  ASSAY_EXPECTS(!series.empty());
  ASSAY_EXPECTS(detail::all_finite(series));
  const double n = detail::count_of(series);
  if (series.size() < 2 || has_no_spread(series)) return n;
  const auto distances = centred(series);
  const double variance = lagged_products(distances, 0);
  double pairs = 0;
  double previous = std::numeric_limits<double>::infinity();
  // Lag by lag and not by FFT: the sequence ends after a few autocorrelation times.
  for (std::size_t lag = 0; lag + 1 < series.size(); lag += 2) {
    const double pair =
        (lagged_products(distances, lag) + lagged_products(distances, lag + 1)) / variance;
    if (pair <= 0) break;
    previous = std::min(previous, pair);
    pairs += previous;
  }
  const double autocorrelation_time = 2 * pairs - 1;
  return autocorrelation_time <= 1 ? n : n / autocorrelation_time;
}

Reading<QuantileInterval> quantile_interval(std::span<const double> series, double probability,
                                            double confidence_level) {
  ASSAY_EXPECTS(detail::all_finite(series));
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  if (series.empty()) return Missing{"too-few-values", "no values"};

  const double estimate = quantile(series, probability);
  std::vector<double> at_or_below(series.size());
  std::transform(series.begin(), series.end(), at_or_below.begin(),
                 [&](double v) { return v <= estimate ? 1.0 : 0.0; });
  const double effective = effective_sample_size(at_or_below);
  const double in_tail = effective * std::min(probability, 1 - probability);
  if (in_tail < kLeastEffectiveTail) {
    return Missing{"insufficient-effective-samples",
                   std::to_string(series.size()) + " samples carry the information of " +
                       std::to_string(static_cast<long>(effective)) +
                       " independent ones; an interval of this quantile needs " +
                       std::to_string(static_cast<long>(std::ceil(
                           kLeastEffectiveTail / std::min(probability, 1 - probability))))};
  }

  const boost::math::beta_distribution<> rank(effective * probability + 1,
                                              effective * (1 - probability) + 1);
  const double alpha = 1 - confidence_level;
  const auto sorted = detail::sorted(series);
  const double n = detail::count_of(series);
  const double low = std::floor(n * boost::math::quantile(rank, alpha / 2));
  const double high =
      std::ceil(n * boost::math::quantile(boost::math::complement(rank, alpha / 2)));
  const auto order_statistic = [&](double one_based) {
    return sorted[static_cast<std::size_t>(std::clamp(one_based, 1.0, n)) - 1];
  };
  return QuantileInterval{estimate, {order_statistic(low), order_statistic(high)}, effective};
}

}  // namespace assay::stats
