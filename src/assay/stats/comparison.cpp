// SPDX-License-Identifier: MIT
#include "assay/stats/comparison.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/sign_flip.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// What one look knows before it decides.
struct Evidence {
  double mean;
  double standard_error;  // of the mean; the larger of scatter and dithered resolution
  double constant_floor;  // half-width that does not depend on the level (steps in phase)
  double half_width;      // at interval_alpha
  double degrees_of_freedom;
};

Verdict region_of(const Interval& interval, double theta) {
  if (interval.low > theta) return Verdict::slower;
  if (interval.high < -theta) return Verdict::faster;
  if (interval.low > -theta && interval.high < theta) return Verdict::equivalent;
  return Verdict::inconclusive;
}

// One-sided p that the mean lies `distance` inside a bound. The constant floor must be cleared
// whole, because no level makes it smaller.
double one_sided_p(const Evidence& e, double distance) {
  if (!(distance > e.constant_floor)) return 1;
  if (e.standard_error == 0) return 0;
  return t_cdf(-distance / e.standard_error, e.degrees_of_freedom);
}

RegionP region_p(const Evidence& e, double theta) {
  const auto two_sided = [](double p) { return std::min(1.0, 2 * p); };
  return {.faster = two_sided(one_sided_p(e, -theta - e.mean)),
          .slower = two_sided(one_sided_p(e, e.mean - theta)),
          .equivalent =
              two_sided(std::max(one_sided_p(e, e.mean + theta), one_sided_p(e, theta - e.mean)))};
}

Reading<double> trials_needed(const Evidence& e, const LookRule& rule, const LookOutcome& outcome) {
  if (outcome.verdict != Verdict::inconclusive) {
    return Missing{"decided", "the look gave a verdict"};
  }
  if (outcome.blocked_by_skewness) {
    return Missing{"skewed", "the differences are lopsided; more trials need not change that"};
  }
  const double gap = std::abs(std::abs(e.mean) - rule.theta);
  if (e.constant_floor > 0 && gap <= e.constant_floor) {
    return Missing{"below-resolution",
                   "the mean is closer to the margin than the timer resolves, whatever the number "
                   "of trials; a longer sample would help"};
  }
  const double quantiles = -t_quantile(rule.interval_alpha / 2, e.degrees_of_freedom) +
                           t_quantile(kPlanningPower, e.degrees_of_freedom);
  const double trials = static_cast<double>(outcome.trials);
  const double needed =
      std::ceil(std::pow(quantiles * e.standard_error * std::sqrt(trials) / gap, 2));
  if (!(needed < 1e9)) {
    return Missing{"at-the-margin", "the mean lies on the margin: no number of trials decides it"};
  }
  return std::max(needed, trials + 1);
}

}  // namespace

double RegionP::of(Verdict verdict) const {
  switch (verdict) {
    case Verdict::faster:
      return faster;
    case Verdict::slower:
      return slower;
    case Verdict::equivalent:
      return equivalent;
    case Verdict::inconclusive:
    case Verdict::invalid:
    case Verdict::void_:
      break;
  }
  return 1;
}

LookOutcome judge_look(std::span<const double> differences, const LookRule& rule,
                       const Reading<Resolution>& resolution) {
  ASSAY_EXPECTS(detail::all_finite(differences));
  ASSAY_EXPECTS(std::isfinite(rule.theta) && rule.theta >= 0);
  ASSAY_EXPECTS(rule.interval_alpha > 0 && rule.interval_alpha < 1);
  ASSAY_EXPECTS(rule.guard_alpha > 0 && rule.guard_alpha < 1);

  const Missing too_few{"too-few-values", "needs at least 2 trials"};
  LookOutcome outcome{.trials = differences.size(),
                      .mean = too_few,
                      .standard_deviation = standard_deviation(differences),
                      .interval = too_few,
                      .t_half_width = too_few,
                      .resolution_half_width = too_few,
                      .sign_flip_p = too_few,
                      .skewness = too_few,
                      .p = too_few,
                      .trials_needed = too_few};
  if (!differences.empty()) outcome.mean = mean(differences);
  if (differences.size() < 2) return outcome;

  const double trials = detail::count_of(differences);
  const bool tied = differences_tie(differences);
  if (tied) outcome.standard_deviation = 0.0;

  Evidence e{.mean = *outcome.mean,
             .standard_error = *outcome.standard_deviation / std::sqrt(trials),
             .constant_floor = 0,
             .half_width = 0,
             .degrees_of_freedom = trials - 1};
  const double t = -t_quantile(rule.interval_alpha / 2, e.degrees_of_freedom);
  outcome.t_half_width = t * e.standard_error;
  if (resolution) {
    outcome.resolution_half_width = resolution_half_width(*resolution, t, differences.size());
    if (is_dithered(*resolution)) {
      e.standard_error =
          std::max(e.standard_error, resolution_standard_error(*resolution, differences.size()));
    } else {
      e.constant_floor = *outcome.resolution_half_width;
    }
  } else {
    outcome.resolution_half_width = resolution.missing();
  }
  outcome.skewness = tied ? Reading<Skewness>(Missing{"no-spread", "all differences tie"})
                          : skewness(differences, rule.seed);
  outcome.skewed = outcome.skewness && outcome.skewness->p <= rule.skewness_alpha;

  if (tied && !resolution) {
    const Missing no_spread{"no-spread",
                            "all differences tie and the timer's step is unknown, so nothing says "
                            "how close to the mean the truth is"};
    outcome.t_half_width = no_spread;
    outcome.interval = no_spread;
    outcome.sign_flip_p = no_spread;
    outcome.p = no_spread;
    outcome.trials_needed = no_spread;
    return outcome;
  }

  e.half_width = std::max(t * e.standard_error, e.constant_floor);
  outcome.interval = Interval{e.mean - e.half_width, e.mean + e.half_width};
  outcome.p = region_p(e, rule.theta);
  if (std::abs(e.mean) > rule.theta) {
    const double bound = std::copysign(rule.theta, e.mean);
    outcome.sign_flip_p = sign_flip(differences, bound, rule.seed).p_two_sided;
  } else {
    outcome.sign_flip_p = Missing{"within-margin", "the mean lies within the margin"};
  }

  const Verdict region = region_of(*outcome.interval, rule.theta);
  const bool claims_difference = region == Verdict::faster || region == Verdict::slower;
  outcome.blocked_by_sign_flip = claims_difference && *outcome.sign_flip_p > rule.guard_alpha;
  outcome.blocked_by_skewness = region == Verdict::equivalent && outcome.skewed;
  if (!outcome.blocked_by_sign_flip && !outcome.blocked_by_skewness) outcome.verdict = region;
  outcome.trials_needed = trials_needed(e, rule, outcome);
  return outcome;
}

}  // namespace assay::stats
