// SPDX-License-Identifier: MIT
#include "assay/stats/student.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

struct Moments {
  double mean;
  double standard_error;
};

Reading<Moments> moments(std::span<const double> values) {
  const auto spread = standard_deviation(values);
  if (!spread) return spread.missing();
  return Moments{mean(values), *spread / std::sqrt(detail::count_of(values))};
}

Reading<double> t_statistic(std::span<const double> values, double bound) {
  ASSAY_EXPECTS(std::isfinite(bound));
  const auto m = moments(values);
  if (!m) return m.missing();
  if (has_no_spread(values)) return no_spread(values.size());
  return (m->mean - bound) / m->standard_error;
}

// Cells have the same looks and levels, so the same few quantiles are asked for again and again,
// and each takes microseconds: those of the last questions are kept, by thread.
struct KnownQuantile {
  double probability = 0;
  double degrees_of_freedom = 0;
  double quantile = 0;
};

KnownQuantile& place_of(double probability, double degrees_of_freedom) {
  constexpr unsigned kPlaceBits = 8;
  thread_local std::array<KnownQuantile, std::size_t{1} << kPlaceBits> known{};
  const std::uint64_t mixed = std::bit_cast<std::uint64_t>(probability) * 0x9E3779B97F4A7C15U ^
                              std::bit_cast<std::uint64_t>(degrees_of_freedom);
  return known[mixed * 0xD1B54A32D192ED03U >> (64 - kPlaceBits)];
}

}  // namespace

double t_quantile(double probability, double degrees_of_freedom) {
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  ASSAY_EXPECTS(degrees_of_freedom > 0);
  KnownQuantile& place = place_of(probability, degrees_of_freedom);
  if (place.probability != probability || place.degrees_of_freedom != degrees_of_freedom) {
    place = {probability, degrees_of_freedom,
             boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability)};
  }
  return place.quantile;
}

double t_cdf(double t, double degrees_of_freedom) {
  ASSAY_EXPECTS(degrees_of_freedom > 0);
  return boost::math::cdf(boost::math::students_t(degrees_of_freedom), t);
}

Missing no_spread(std::size_t count) {
  return {"no-spread", "all " + std::to_string(count) +
                           " values tie, so their spread is below what was resolved"};
}

bool has_no_spread(std::span<const double> values) {
  ASSAY_EXPECTS(!values.empty());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low <= kNoRelativeSpread * std::max(std::abs(*low), std::abs(*high));
}

Reading<Interval> t_interval(std::span<const double> values, double confidence_level,
                             double half_width_floor) {
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  ASSAY_EXPECTS(std::isfinite(half_width_floor) && half_width_floor >= 0);
  const auto m = moments(values);
  if (!m) return m.missing();
  if (half_width_floor == 0 && has_no_spread(values)) return no_spread(values.size());
  // Through the lower tail: 1 − α/2 loses digits for the small α of many comparisons.
  const double t = -t_quantile((1 - confidence_level) / 2, detail::count_of(values) - 1);
  const double half_width = std::max(t * m->standard_error, half_width_floor);
  return Interval{m->mean - half_width, m->mean + half_width};
}

Reading<double> t_p_above(std::span<const double> values, double bound) {
  return t_statistic(values, bound).transform([&](double t) {
    return t_cdf(-t, detail::count_of(values) - 1);
  });
}

Reading<double> t_p_below(std::span<const double> values, double bound) {
  return t_statistic(values, bound).transform([&](double t) {
    return t_cdf(t, detail::count_of(values) - 1);
  });
}

}  // namespace assay::stats
