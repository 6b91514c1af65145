// SPDX-License-Identifier: MIT
#include "assay/stats/control.hpp"

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"

namespace assay::stats {
namespace {

Reading<Interval> interval_at(std::span<const double> differences, double alpha,
                              const Reading<Resolution>& resolution) {
  double floor = 0;
  if (differences.size() >= 2 && !resolution && differences_tie(differences)) {
    return Missing{"no-spread", "all differences tie and the timer's step is unknown"};
  }
  if (differences.size() >= 2 && resolution) {
    const double t = -t_quantile(alpha / 2, detail::count_of(differences) - 1);
    floor = resolution_half_width(*resolution, t, differences.size());
  }
  return t_interval(differences, 1 - alpha, floor);
}

bool lies_beyond(const Reading<Interval>& interval, double bound) {
  return interval && (interval->low > bound || interval->high < -bound);
}

}  // namespace

ControlOutcome judge_control(std::span<const double> differences, const ControlRule& rule,
                             const Reading<Resolution>& resolution) {
  ASSAY_EXPECTS(rule.theta >= 0);
  ASSAY_EXPECTS(rule.shared_alpha > 0 && rule.shared_alpha <= rule.alpha && rule.alpha < 1);
  ControlOutcome outcome{.interval = interval_at(differences, rule.shared_alpha, resolution)};
  outcome.voids = lies_beyond(outcome.interval, rule.theta / 2);
  outcome.suspicious =
      lies_beyond(interval_at(differences, rule.alpha, resolution), rule.theta / 2);
  return outcome;
}

}  // namespace assay::stats
