// SPDX-License-Identifier: MIT
#include "assay/stats/level_changes.hpp"

#include <algorithm>
#include <cmath>

#include "assay/stats/change_points.hpp"
#include "assay/stats/detail/merge_levels.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// The mean of the squared differences between values so far apart, without the largest tenth.
double trimmed_square(std::span<const double> values, std::size_t apart) {
  std::vector<double> squares;
  for (std::size_t i = apart; i < values.size(); ++i) {
    const double difference = values[i] - values[i - apart];
    squares.push_back(difference * difference);
  }
  std::sort(squares.begin(), squares.end());
  squares.resize(squares.size() - squares.size() / 10);
  return mean(squares);
}

double lag1_of(std::span<const double> values, double least_sd) {
  // Below the step of a value nothing is known of how neighbours differ.
  const double floor = least_sd * least_sd;
  const double near = std::max(trimmed_square(values, 1), floor);
  const double far = std::max(trimmed_square(values, 2), floor);
  return std::clamp(far / near - 1, 0.0, kMostLevelLag1);
}

}  // namespace

Reading<LevelChanges> level_changes(std::span<const double> values, double least_difference,
                                    double least_sd) {
  ASSAY_EXPECTS(least_difference > 0 && least_sd > 0);
  if (values.size() < kLeastForLevels) {
    return Missing{"insufficient", "needs " + std::to_string(kLeastForLevels) + " values, has " +
                                       std::to_string(values.size())};
  }
  const std::vector<double> points = batch_means(values, kMostForLevels);
  LevelChanges result;
  result.points = points.size();
  result.lag1 = lag1_of(points, least_sd);
  const double correlation_time = (1 + result.lag1) / (1 - result.lag1);
  const ChangeRule rule{
      .penalty = kLevelPenalty * correlation_time * std::log(static_cast<double>(points.size())),
      .least_sd = least_sd};
  std::vector<std::size_t> begins{0};
  for (const std::size_t change : change_points(points, rule)) begins.push_back(change);
  begins.push_back(points.size());

  const auto level = [&](std::size_t i) {
    return median(std::span(points).subspan(begins[i], begins[i + 1] - begins[i]));
  };
  detail::merge_levels(begins, level,
                       [&](double difference) { return difference < least_difference; });
  for (std::size_t i = 1; i + 1 < begins.size(); ++i) {
    // The first value of the batch.
    const std::size_t at = begins[i] * values.size() / points.size();
    result.changes.push_back({at, level(i - 1), level(i)});
  }
  return result;
}

}  // namespace assay::stats
