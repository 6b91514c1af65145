// SPDX-License-Identifier: MIT
#include "assay/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"

namespace assay::stats {
namespace {

Missing too_few(std::size_t have, std::size_t need) {
  return {"too-few-values",
          "needs at least " + std::to_string(need) + " values, has " + std::to_string(have)};
}

double quantile_of_sorted(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

// The same of values in any order, which it rearranges: linear in their number, where sorting is
// not.
double quantile_of(std::vector<double>& values, double probability) {
  const double position = probability * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(below);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  if (share == 0) return *at;
  return *at + share * (*std::min_element(at + 1, values.end()) - *at);
}

std::size_t needed_for(double probability) {
  const double tail = std::min(probability, 1 - probability);
  // The small slack keeps 1/(1 − 0.95) from becoming 21.
  return static_cast<std::size_t>(std::ceil(1 / tail - 1e-9));
}

Reading<double> supported_of_sorted(const std::vector<double>& sorted, double probability) {
  const std::size_t need = needed_for(probability);
  if (sorted.size() < need) return too_few(sorted.size(), need);
  return quantile_of_sorted(sorted, probability);
}

double trimmed_of_sorted(std::span<const double> sorted, double fraction) {
  const auto cut = static_cast<std::size_t>(fraction * detail::count_of(sorted));
  return mean(sorted.subspan(cut, sorted.size() - 2 * cut));
}

Reading<double> mad_of_sorted(const std::vector<double>& sorted) {
  if (sorted.size() < 2) return too_few(sorted.size(), 2);
  const double centre = quantile_of_sorted(sorted, 0.5);
  // The distances fall up to the middle and rise after it: two runs to be merged.
  std::vector<double> distances(sorted.size());
  std::transform(sorted.begin(), sorted.end(), distances.begin(),
                 [&](double v) { return std::abs(v - centre); });
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::reverse(distances.begin(), middle);
  std::inplace_merge(distances.begin(), middle, distances.end());
  return quantile_of_sorted(distances, 0.5);
}

double squares_about_mean(std::span<const double> values) {
  // Values that tie exactly have no spread, whatever the rounding of their mean says.
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return 0;
  const double centre = mean(values);
  detail::Sum squares;
  for (const double v : values) squares.add((v - centre) * (v - centre));
  return squares.value();
}

}  // namespace

double mean(std::span<const double> values) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  detail::Sum sum;
  for (const double v : values) sum.add(v);
  return sum.value() / detail::count_of(values);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double probability) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(probability >= 0 && probability <= 1);
  std::vector<double> copy(values.begin(), values.end());
  return quantile_of(copy, probability);
}

Reading<double> supported_quantile(std::span<const double> values, double probability) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  const std::size_t need = needed_for(probability);
  if (values.size() < need) return too_few(values.size(), need);
  return quantile(values, probability);
}

Reading<double> standard_deviation(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 2) return too_few(values.size(), 2);
  return std::sqrt(squares_about_mean(values) / (detail::count_of(values) - 1));
}

Reading<double> median_absolute_deviation(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 2) return too_few(values.size(), 2);
  return mad_of_sorted(detail::sorted(values));
}

double trimmed_mean(std::span<const double> values, double fraction) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(fraction >= 0 && fraction < 0.5);
  return trimmed_of_sorted(detail::sorted(values), fraction);
}

double geometric_mean(std::span<const double> values) {
  ASSAY_EXPECTS(std::all_of(values.begin(), values.end(), [](double v) { return v > 0; }));
  std::vector<double> logs(values.begin(), values.end());
  for (double& v : logs) v = std::log(v);
  return std::exp(mean(logs));
}

GroupSpread spread_within(std::span<const double> group) {
  ASSAY_EXPECTS(detail::all_finite(group));
  if (group.size() < 2) return {};
  return {squares_about_mean(group), detail::count_of(group) - 1};
}

Reading<double> pooled_standard_deviation(std::span<const std::vector<double>> groups) {
  std::vector<GroupSpread> spreads;
  for (const auto& group : groups) spreads.push_back(spread_within(group));
  return pooled_standard_deviation(spreads);
}

Reading<double> pooled_standard_deviation(std::span<const GroupSpread> groups) {
  detail::Sum squares;
  double degrees = 0;
  for (const GroupSpread& group : groups) {
    squares.add(group.squares);
    degrees += group.degrees_of_freedom;
  }
  if (degrees == 0) {
    return Missing{"too-few-values",
                   "no group has two values: the spread within groups is unknown"};
  }
  return std::sqrt(squares.value() / degrees);
}

Summary summarise(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  const Reading<double> none = too_few(0, 1);
  if (values.empty()) return {0, none, none, none, none, none, none, none, none, none, none};
  const auto sorted = detail::sorted(values);
  return {.count = sorted.size(),
          .mean = mean(sorted),
          .median = quantile_of_sorted(sorted, 0.5),
          .standard_deviation = standard_deviation(sorted),
          .mad = mad_of_sorted(sorted),
          .trimmed_mean = trimmed_of_sorted(sorted, kTrimFraction),
          .min = sorted.front(),
          .max = sorted.back(),
          .p5 = supported_of_sorted(sorted, 0.05),
          .p95 = supported_of_sorted(sorted, 0.95),
          .p99 = supported_of_sorted(sorted, 0.99)};
}

}  // namespace assay::stats
