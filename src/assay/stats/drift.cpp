// SPDX-License-Identifier: MIT
#include "assay/stats/drift.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/change_points.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// An autocorrelation of fewer points means nothing.
constexpr std::size_t kLeastForLag1 = 20;
constexpr double kRoundingOfRange = 1e-6;

// B_k = Σ_{i≤k} (S_i − (i/k)·S_k)² and the mean of the first k values, for one k after the other.
// From k to k + 1 the mean moves by δ and each distance S_i − i·mean by −i·δ; so squares of the
// large S_i themselves are never subtracted from each other.
class Bridge {
 public:
  void add(double value) {
    ++count_;
    const double moved = (value - mean_) / count_;
    mean_ += moved;
    squares_ += -2 * moved * products_ + moved * moved * index_squares_;
    products_ -= moved * index_squares_;
    index_squares_ += count_ * count_;
  }
  double mean() const { return mean_; }
  double squares() const { return std::max(0.0, squares_); }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double products_ = 0;       // Σ i·(S_i − i·mean)
  double index_squares_ = 0;  // Σ i²
};

// The k at which |S_k − k·mean| is largest: the first part has k values.
std::size_t peak(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  double highest = -1;
  std::size_t at = 1;
  for (std::size_t k = 1; k < values.size(); ++k) {
    sum += values[k - 1] - centre;
    if (std::abs(sum) > highest) {
      highest = std::abs(sum);
      at = k;
    }
  }
  return at;
}

struct Residuals {
  double squares = 0;
  double products = 0;  // of neighbours
};

template <typename Fit>
Residuals residuals(std::span<const double> values, Fit fit) {
  Residuals result;
  double before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double rest = values[i] - fit(i);
    result.squares += rest * rest;
    result.products += rest * before;
    before = rest;
  }
  return result;
}

// The line's value at i is mean + slope·(i − (n−1)/2).
double least_squares_slope(std::span<const double> values, double centre) {
  const double n = detail::count_of(values);
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    products += (static_cast<double>(i) - (n - 1) / 2) * (values[i] - centre);
  }
  return products / (n * (n * n - 1) / 12);
}

double rounding_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return kRoundingOfRange * (*high - *low);
}

// Lag-1 autocorrelation about the better of a step and a line. What rounding leaves counts as 0.
double lag1_about_drift(std::span<const double> values) {
  const std::size_t change = peak(values);
  const double before = mean(values.first(change));
  const double after = mean(values.subspan(change));
  const Residuals step =
      residuals(values, [&](std::size_t i) { return i < change ? before : after; });

  const double centre = mean(values);
  const double middle = (detail::count_of(values) - 1) / 2;
  const double slope = least_squares_slope(values, centre);
  const Residuals line = residuals(
      values, [&](std::size_t i) { return centre + slope * (static_cast<double>(i) - middle); });

  const Residuals& better = step.squares <= line.squares ? step : line;
  const double rounding = rounding_of(values);
  const bool is_rounding = better.squares <= detail::count_of(values) * rounding * rounding;
  return is_rounding ? 0 : better.products / better.squares;
}

}  // namespace

Reading<double> self_normalised_cusum(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 2) return Missing{"too-few-values", "needs at least 2 values"};
  if (has_no_spread(values)) return Missing{"no-spread", "all values tie"};
  const double rounding = rounding_of(values);
  const std::size_t count = values.size();
  const double n = detail::count_of(values);
  std::vector<double> later(count);  // squares of the part from that index on
  Bridge backward;
  for (std::size_t i = count; i-- > 1;) {
    backward.add(values[i]);
    later[i] = backward.squares();
  }
  backward.add(values[0]);
  const double overall = backward.mean();
  Bridge forward;
  double highest = 0;
  for (std::size_t split = 1; split < count; ++split) {
    forward.add(values[split - 1]);
    const double k = static_cast<double>(split);
    const double moved = k * (forward.mean() - overall);
    const double least = rounding * rounding * (k * k + (n - k) * (n - k)) / 6;
    // T²/V with n in both: (moved²/n) ÷ (squares/n²).
    highest =
        std::max(highest, moved * moved * n / std::max(forward.squares() + later[split], least));
  }
  return highest;
}

Reading<double> self_normalised_slope(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 3) return Missing{"too-few-values", "needs at least 3 values"};
  if (has_no_spread(values)) return Missing{"no-spread", "all values tie"};
  const double n = detail::count_of(values);
  const double centre = mean(values);
  const double slope = least_squares_slope(values, centre);
  double partial = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    partial += values[i] - centre - slope * (static_cast<double>(i) - (n - 1) / 2);
    squares += partial * partial;
  }
  // Of independent values with variance v the mean of squares/n² is about v/15.
  const double rounding = rounding_of(values);
  squares = std::max(squares, n * n * rounding * rounding / 15);
  const double product = slope * (n * n - 1) / 12;  // Σ ((i − (n+1)/2)/n)·x_i
  return product * product * n / squares;
}

Reading<Drift> drift(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  const auto insufficient = [&](const std::string& needed) {
    return Missing{"insufficient", "needs " + needed + ", has " + std::to_string(values.size())};
  };
  if (values.size() < kLeastForDrift) {
    return insufficient(std::to_string(kLeastForDrift) + " values");
  }
  if (has_no_spread(values)) return Missing{"no-spread", "all values tie"};

  std::size_t batch = 1;
  std::vector<double> points;
  for (;; batch *= 2) {
    if (values.size() / batch < kLeastForLag1) {
      return insufficient("more than " + std::to_string(kLeastForDrift * batch / 2) +
                          " values, so strongly do neighbours resemble each other");
    }
    points = batch_means(values, values.size() / batch);
    if (has_no_spread(points) || lag1_about_drift(points) < kMostDriftLag1) break;
  }
  if (points.size() < kLeastForDrift) {
    return insufficient("about " + std::to_string(kLeastForDrift * batch) +
                        " values, because neighbours resemble each other");
  }
  const auto step = self_normalised_cusum(points);
  const auto slope = self_normalised_slope(points);
  if (!step || !slope) return Missing{"no-spread", "all values tie"};

  Drift result;
  result.step_statistic = *step;
  result.slope_statistic = *slope;
  const auto passes = [&](const DriftLevel& level) {
    return *step > level.step || *slope > level.slope;
  };
  result.has_drifted = passes(kDriftLevels[0]);
  result.is_strong = passes(kDriftLevels[1]);
  result.points = points.size();
  result.batch = batch;
  result.change_at = peak(values);
  result.difference = mean(values.subspan(result.change_at)) - mean(values.first(result.change_at));
  return result;
}

}  // namespace assay::stats
