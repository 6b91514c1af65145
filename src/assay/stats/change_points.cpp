// SPDX-License-Identifier: MIT
#include "assay/stats/change_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// −2·log likelihood of segments of one series, in constant time.
class GaussianCost {
 public:
  GaussianCost(std::span<const double> values, double least_sd)
      : sums_(values.size() + 1), squares_(values.size() + 1), least_(least_sd * least_sd) {
    const double centre = values.empty() ? 0 : mean(values);  // small numbers keep their digits
    detail::Sum sum;
    detail::Sum square;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double distance = values[i] - centre;
      sum.add(distance);
      square.add(distance * distance);
      sums_[i + 1] = sum.value();
      squares_[i + 1] = square.value();
    }
  }

  // The likelihood under σ² ≥ least, so that no split ever raises the sum: PELT leaves candidates
  // out on that ground. log max(s², least) alone would not have this property.
  double operator()(std::size_t begin, std::size_t end) const {
    const double n = static_cast<double>(end - begin);
    const double sum = sums_[end] - sums_[begin];
    const double variance = std::max(0.0, (squares_[end] - squares_[begin] - sum * sum / n) / n);
    const double used = std::max(variance, least_);
    return n * (std::log(2 * std::numbers::pi * used) + variance / used);
  }

  double mean_of(std::size_t begin, std::size_t end) const {
    return (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
  double least_;
};

struct Candidate {
  std::size_t start = 0;  // of the last segment
  std::size_t dies_at = std::numeric_limits<std::size_t>::max();
};

std::vector<std::size_t> pelt(const GaussianCost& cost, std::size_t count, const ChangeRule& rule) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> best(count + 1, infinite);  // least cost of the values before that index
  std::vector<std::size_t> last(count + 1, 0);
  best[0] = -rule.penalty;
  std::vector<Candidate> candidates{{0}};
  std::vector<double> totals;
  for (std::size_t end = rule.least_segment; end <= count; ++end) {
    std::erase_if(candidates, [&](const Candidate& c) { return c.dies_at <= end; });
    totals.assign(candidates.size(), infinite);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t start = candidates[i].start;
      if (end - start < rule.least_segment) continue;
      totals[i] = best[start] + cost(start, end);
      if (totals[i] + rule.penalty < best[end]) {
        best[end] = totals[i] + rule.penalty;
        last[end] = start;
      }
    }
    // A start that a change at `end` beats is beaten for good, but only where that change leaves
    // room for a segment.
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (totals[i] != infinite && totals[i] > best[end]) {
        candidates[i].dies_at = std::min(candidates[i].dies_at, end + rule.least_segment);
      }
    }
    candidates.push_back({end});
  }
  std::vector<std::size_t> changes;
  if (count < rule.least_segment) return changes;
  for (std::size_t end = last[count]; end > 0; end = last[end]) changes.push_back(end);
  std::reverse(changes.begin(), changes.end());
  return changes;
}

constexpr std::array<std::pair<SteadyClass, std::string_view>, 4> kWords{
    {{SteadyClass::flat, "flat"},
     {SteadyClass::warm_up, "warm-up"},
     {SteadyClass::slow_down, "slow-down"},
     {SteadyClass::no_steady_state, "no-steady-state"}}};

}  // namespace

std::vector<std::size_t> change_points(std::span<const double> values, const ChangeRule& rule) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(rule.penalty >= 0 && rule.least_segment >= 1 && rule.least_sd > 0);
  return pelt(GaussianCost(values, rule.least_sd), values.size(), rule);
}

std::vector<double> batch_means(std::span<const double> values, std::size_t count) {
  ASSAY_EXPECTS(count >= 1);
  if (values.size() <= count) return {values.begin(), values.end()};
  std::vector<double> means(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * values.size() / count;
    const std::size_t end = (i + 1) * values.size() / count;
    double sum = 0;  // of values that are alike and few: nothing to compensate
    for (std::size_t j = begin; j < end; ++j) sum += values[j];
    means[i] = sum / static_cast<double>(end - begin);
  }
  return means;
}

std::string_view to_string(SteadyClass steady) {
  for (const auto& [value, word] : kWords) {
    if (value == steady) return word;
  }
  return "";
}

std::optional<SteadyClass> steady_class_from_string(std::string_view word) {
  for (const auto& [value, known] : kWords) {
    if (known == word) return value;
  }
  return std::nullopt;
}

Reading<SteadyClass> steady_state(std::span<const double> log_times, double tolerance,
                                  double least_sd) {
  ASSAY_EXPECTS(tolerance >= 0);
  ASSAY_EXPECTS(detail::all_finite(log_times));
  if (log_times.size() < kLeastForSteady) {
    return Missing{"insufficient", "needs " + std::to_string(kLeastForSteady) + " values, has " +
                                       std::to_string(log_times.size())};
  }
  const auto values = batch_means(log_times, kMostForSteady);
  const GaussianCost cost(values, least_sd);
  const ChangeRule rule{.penalty = kChangePenalty * std::log(detail::count_of(values)),
                        .least_sd = least_sd};
  std::vector<std::size_t> begins{0};
  for (const std::size_t change : pelt(cost, values.size(), rule)) begins.push_back(change);
  begins.push_back(values.size());

  const auto level = [&](std::size_t i) { return cost.mean_of(begins[i], begins[i + 1]); };
  while (begins.size() > 2) {
    std::size_t closest = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < begins.size(); ++i) {
      const double difference = std::abs(level(i) - level(i - 1));
      if (difference < least) {
        least = difference;
        closest = i;
      }
    }
    // Levels that tie are one, whatever the tolerance.
    if (least >= tolerance && least > least_sd) break;
    begins.erase(begins.begin() + static_cast<std::ptrdiff_t>(closest));
  }

  const std::size_t segments = begins.size() - 1;
  if (segments == 1) return SteadyClass::flat;
  if (2 * begins[segments - 1] > values.size()) return SteadyClass::no_steady_state;
  const double settled = level(segments - 1);
  for (std::size_t i = 0; i + 1 < segments; ++i) {
    if (settled - level(i) > std::max(tolerance, least_sd)) return SteadyClass::slow_down;
  }
  return SteadyClass::warm_up;
}

}  // namespace assay::stats
