// SPDX-License-Identifier: MIT
#include "assay/stats/quantile_interval.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "assay/base/counted.hpp"
#include "assay/base/error.hpp"
#include "assay/stats/detail/sorting.hpp"
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

// z(t) = 1 where the series is at or below the threshold, one bit a sample: a lag costs n/64 steps,
// so that a long series with a trend, whose sum ends late, stays cheap.
class Indicator {
 public:
  Indicator(std::span<const double> series, double threshold)
      : count_(series.size()), words_(series.size() / 64 + 2, 0), before_(series.size() + 1, 0) {
    for (std::size_t t = 0; t < count_; ++t) {
      const bool is_set = series[t] <= threshold;
      if (is_set) words_[t / 64] |= std::uint64_t{1} << (t % 64);
      before_[t + 1] = before_[t] + (is_set ? 1U : 0U);
    }
  }

  bool is_constant() const { return before_[count_] == 0 || before_[count_] == count_; }

  // n²·Σ (z(t) − mean)·(z(t + lag) − mean), all terms whole numbers.
  double lagged_products(std::size_t lag) const {
    std::uint64_t both = 0;
    const std::size_t shift = lag % 64;
    for (std::size_t i = lag / 64; i + 1 < words_.size(); ++i) {
      const std::uint64_t later =
          shift == 0 ? words_[i] : words_[i] >> shift | words_[i + 1] << (64 - shift);
      both += static_cast<std::uint64_t>(std::popcount(words_[i - lag / 64] & later));
    }
    const double n = static_cast<double>(count_);
    const double ones = static_cast<double>(before_[count_]);
    const double early = static_cast<double>(before_[count_ - lag]);
    const double late = ones - static_cast<double>(before_[lag]);
    return n * n * static_cast<double>(both) - n * ones * (early + late) +
           (n - static_cast<double>(lag)) * ones * ones;
  }

 private:
  std::size_t count_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;  // how many are set before t
};

// Geyer's initial monotone sequence from the sums of lagged products, whatever their scale.
template <typename ProductsAt>
double from_pairs(std::size_t count, ProductsAt products_at) {
  const double variance = products_at(0);
  double pairs = 0;
  double previous = std::numeric_limits<double>::infinity();
  for (std::size_t lag = 0; lag + 1 < count; lag += 2) {
    const double pair = (products_at(lag) + products_at(lag + 1)) / variance;
    if (pair <= 0) break;
    previous = std::min(previous, pair);
    pairs += previous;
  }
  const double n = static_cast<double>(count);
  const double autocorrelation_time = 2 * pairs - 1;
  return autocorrelation_time <= 1 ? n : n / autocorrelation_time;
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
  // Lag by lag and not by FFT: the sequence ends after a few autocorrelation times.
  return from_pairs(series.size(),
                    [&](std::size_t lag) { return lagged_products(distances, lag); });
}

double effective_sample_size(std::span<const double> series, double probability) {
  ASSAY_EXPECTS(!series.empty());
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  return effective_sample_size_below(series, quantile(series, probability));
}

double effective_sample_size_below(std::span<const double> series, double threshold) {
  ASSAY_EXPECTS(!series.empty());
  const Indicator indicator(series, threshold);
  if (indicator.is_constant()) return detail::count_of(series);
  return from_pairs(series.size(), [&](std::size_t lag) { return indicator.lagged_products(lag); });
}

Reading<QuantileInterval> quantile_interval(std::span<const double> series, double probability,
                                            double confidence_level) {
  ASSAY_EXPECTS(detail::all_finite(series));
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  if (series.empty()) return Missing{"too-few-values", "no values"};

  const double estimate = quantile(series, probability);
  const double effective = effective_sample_size_below(series, estimate);
  const double in_tail = effective * std::min(probability, 1 - probability);
  if (in_tail < kLeastEffectiveTail) {
    return Missing{
        "insufficient-effective-samples",
        counted(series.size(), "sample") + (series.size() == 1 ? " carries" : " carry") +
            " the information of " + counted(static_cast<long>(effective), "independent one") +
            "; an interval of this quantile needs " +
            std::to_string(static_cast<long>(
                std::ceil(kLeastEffectiveTail / std::min(probability, 1 - probability))))};
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
