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
#include "assay/stats/detail/merge_levels.hpp"
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

  struct Cost {
    double value = 0;
    double log_variance = 0;  // log 2πσ² of the variance used
  };

  // The likelihood under σ² ≥ least, so that no split ever raises the sum: PELT leaves candidates
  // out on that ground. log max(s², least) alone would not have this property.
  Cost operator()(std::size_t begin, std::size_t end) const {
    const double n = static_cast<double>(end - begin);
    const double sum = sums_[end] - sums_[begin];
    const double variance = std::max(0.0, (squares_[end] - squares_[begin] - sum * sum / n) / n);
    const double used = std::max(variance, least_);
    const double log_variance = std::log(2 * std::numbers::pi * used);
    return {n * (log_variance + variance / used), log_variance};
  }

  double mean_of(std::size_t begin, std::size_t end) const {
    return (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
  double least_;
};

// PELT, which asks most candidates at every kPatience-th end only.
//
// More values never lower a segment's squares about its mean. So from n to n + k values its cost
// grows by k·log(2πs²·n/(n + k)) or more, and a candidate that was far behind cannot have caught up
// a few values later. Where nothing changes all but one are a penalty behind, and PELT itself,
// which would have to ask them all every time, takes quadratic time.
class Pelt {
 public:
  Pelt(const GaussianCost& cost, std::size_t count, const ChangeRule& rule)
      : cost_(cost),
        rule_(rule),
        count_(count),
        best_(count + 1, kInfinite),
        last_(count + 1, 0),
        log_(count + kPatience + 1, 0) {
    best_[0] = -rule.penalty;
    for (std::size_t n = 1; n < log_.size(); ++n) log_[n] = std::log(static_cast<double>(n));
  }

  std::vector<std::size_t> changes() {
    std::vector<std::size_t> changes;
    if (count_ < rule_.least_segment) return changes;
    candidates_.push_back({0});
    std::size_t asked = 0;  // the end at which all were
    for (std::size_t end = rule_.least_segment; end <= count_; ++end) {
      // Candidates are pushed before they leave room for a segment.
      const std::size_t start = end - rule_.least_segment;
      if (start >= rule_.least_segment) near_.push_back(start);
      if (asked == 0 || end - asked >= kPatience || !ask_near(end, end - asked)) {
        ask_all(end);
        asked = end;
      }
      candidates_.push_back({end});
    }
    for (std::size_t end = last_[count_]; end > 0; end = last_[end]) changes.push_back(end);
    std::reverse(changes.begin(), changes.end());
    return changes;
  }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kPatience = 16;

  struct Candidate {
    std::size_t start = 0;  // of the last segment
    std::size_t dies_at = std::numeric_limits<std::size_t>::max();
    double total = 0;         // least cost of all values up to the end, when it was last asked
    double log_variance = 0;  // of its segment
  };

  void take(std::size_t end, std::size_t start, double total) {
    if (total + rule_.penalty < best_[end]) {
      best_[end] = total + rule_.penalty;
      last_[end] = start;
    }
  }

  // Only those that were near the best or are new; false if another one might be better.
  bool ask_near(std::size_t end, std::size_t since) {
    for (const std::size_t start : near_) take(end, start, best_[start] + cost_(start, end).value);
    // The least of straight lines lies above its own chord.
    const double share = static_cast<double>(since) / static_cast<double>(kPatience);
    const double others = far_now_ + share * (far_later_ - far_now_);
    const double rounding = 1e-9 * (1 + std::abs(others));
    if (far_now_ == kInfinite || best_[end] - rule_.penalty < others - rounding) return true;
    best_[end] = kInfinite;
    return false;
  }

  void ask_all(std::size_t end) {
    std::erase_if(candidates_, [&](const Candidate& c) { return c.dies_at <= end; });
    for (Candidate& c : candidates_) {
      if (end - c.start < rule_.least_segment) break;  // nor do those after it leave room
      const GaussianCost::Cost cost = cost_(c.start, end);
      c.total = best_[c.start] + cost.value;
      c.log_variance = cost.log_variance;
      take(end, c.start, c.total);
    }
    near_.clear();
    far_now_ = far_later_ = kInfinite;
    for (Candidate& c : candidates_) {
      const std::size_t length = end - c.start;
      if (length < rule_.least_segment) break;
      // A start that a change at `end` beats is beaten for good, but only where that change leaves
      // room for a segment.
      if (c.total > best_[end]) c.dies_at = std::min(c.dies_at, end + rule_.least_segment);
      if (c.total < best_[end] - rule_.penalty / 2) {
        near_.push_back(c.start);
        continue;
      }
      const double growth = c.log_variance + log_[length] - log_[length + kPatience];
      far_now_ = std::min(far_now_, c.total);
      far_later_ = std::min(far_later_, c.total + static_cast<double>(kPatience) * growth);
    }
  }

  const GaussianCost& cost_;
  const ChangeRule& rule_;
  std::size_t count_;
  std::vector<double> best_;  // least cost of the values before that index
  std::vector<std::size_t> last_;
  std::vector<double> log_;  // of whole numbers
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> near_;  // starts that are asked at every end, ascending
  // No other candidate is below these: when all were asked, and kPatience values later.
  double far_now_ = kInfinite;
  double far_later_ = kInfinite;
};

std::vector<std::size_t> pelt(const GaussianCost& cost, std::size_t count, const ChangeRule& rule) {
  return Pelt(cost, count, rule).changes();
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
  // Levels that tie are one, whatever the tolerance.
  detail::merge_levels(begins, level, [&](double difference) {
    return difference < tolerance || difference <= least_sd;
  });

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
