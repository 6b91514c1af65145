// SPDX-License-Identifier: MIT
//
// A hundred comparisons of one experiment, most of them exactly on the margin: how often something
// wrong is said. For the property test and, at full size, for simulate.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "assay/stats/comparison.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

// The interval of a look of these values, without the tests that stand guard beside it.
inline Interval look_interval(const std::vector<double>& values, double alpha) {
  const double room = kUnseenTrialSds * *standard_deviation(values) * std::log(1 / alpha) /
                      static_cast<double>(values.size());
  const Interval interval = *t_interval(values, 1 - alpha);
  return {interval.low - room, interval.high + room};
}

struct WrongAmongMany {
  std::size_t uncorrected = 0;  // experiments with any wrong verdict at an unshared 5 %
  std::size_t any_wrong = 0;    // the same with Bonferroni
  double false_share = 0;       // mean share of wrong ones among those selected at q = 5 %
  double false_share_sd = 0;
  double power = 0;  // mean share of the true ones that are selected
};

// D with SD 1 % over 10 trials at a margin of 1 %: 80 cases with their mean on it, of which nothing
// is true, and 20 at 3 %. correlation: of two cases in one trial.
inline WrongAmongMany wrong_among_many(std::size_t experiments, double correlation,
                                       const std::function<double()>& normal) {
  constexpr std::size_t kCases = 100;
  constexpr std::size_t kOnTheMargin = 80;
  constexpr std::size_t kTrials = 10;
  constexpr double kAlpha = 0.05;
  const double theta = std::log(1.01);
  WrongAmongMany result;
  std::vector<double> shares;
  std::vector<double> powers;
  for (std::size_t experiment = 0; experiment < experiments; ++experiment) {
    std::vector<double> drift(kTrials);
    for (double& d : drift) d = normal();
    std::vector<double> p;
    std::vector<Verdict> claimed;
    for (std::size_t i = 0; i < kCases; ++i) {
      const double mean = i < kOnTheMargin ? theta : std::log(1.03);
      std::vector<double> differences;
      for (const double shared : drift) {
        differences.push_back(mean + 0.01 * (std::sqrt(correlation) * shared +
                                             std::sqrt(1 - correlation) * normal()));
      }
      const auto outcome = judge_look(differences, {.theta = theta}, Missing{"none", "simulated"});
      Verdict nearest = Verdict::faster;
      for (const Verdict v : {Verdict::slower, Verdict::equivalent}) {
        if (outcome.p->of(v) < outcome.p->of(nearest)) nearest = v;
      }
      claimed.push_back(nearest);
      p.push_back(outcome.p->of(nearest));
    }
    const auto is_wrong = [&](std::size_t i) {
      return i < kOnTheMargin || claimed[i] != Verdict::slower;
    };
    const auto adjusted = benjamini_hochberg(p);
    bool any_unadjusted = false;
    bool any_bonferroni = false;
    double selected = 0;
    double wrong = 0;
    for (std::size_t i = 0; i < kCases; ++i) {
      any_unadjusted = any_unadjusted || (is_wrong(i) && p[i] <= kAlpha);
      any_bonferroni = any_bonferroni || (is_wrong(i) && p[i] <= kAlpha / kCases);
      if (adjusted[i] > kAlpha) continue;
      ++selected;
      wrong += is_wrong(i) ? 1 : 0;
    }
    result.uncorrected += any_unadjusted ? 1U : 0U;
    result.any_wrong += any_bonferroni ? 1U : 0U;
    shares.push_back(wrong / std::max(1.0, selected));
    powers.push_back((selected - wrong) / static_cast<double>(kCases - kOnTheMargin));
  }
  result.false_share = mean(shares);
  result.false_share_sd = *standard_deviation(shares);
  result.power = mean(powers);
  return result;
}

}  // namespace assay::stats
