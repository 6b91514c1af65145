// SPDX-License-Identifier: MIT
#include "assay/stats/comparison.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/sign_flip.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// Beyond so many trials the mean lies on the margin for all that anyone will measure.
constexpr double kMostTrialsNeeded = 1 << 20;

// What one look knows before it decides.
struct Evidence {
  double mean;
  double standard_error;  // of the mean; the larger of scatter and dithered resolution
  double constant_floor;  // half-width that does not depend on the level (steps in phase)
  double unseen_unit;     // half-width for rare slow trials ÷ ln(1/level)
  double degrees_of_freedom;

  double scatter_half_width(double alpha) const {
    if (standard_error == 0) return constant_floor;
    return std::max(-t_quantile(alpha / 2, degrees_of_freedom) * standard_error, constant_floor);
  }
  double unseen_half_width(double alpha) const { return -unseen_unit * std::log(alpha); }
  double half_width(double alpha) const {
    return scatter_half_width(alpha) + unseen_half_width(alpha);
  }
};

// The two-sided level at which the half-width is `distance`: the interval shrinks as the level
// grows, down to the constant floor, which no level makes smaller.
double level_of(const Evidence& e, double distance) {
  if (!(distance > e.constant_floor)) return 1;
  if (e.standard_error == 0) return 0;
  const double of_scatter = 2 * t_cdf(-distance / e.standard_error, e.degrees_of_freedom);
  if (e.unseen_unit == 0) return of_scatter;
  // Wider than by scatter alone, so the level is no smaller; a root of its logarithm, in which the
  // half-width is almost straight, so that a few steps suffice.
  constexpr double kLeastLog = -690;  // of 1e-300
  const double low = std::log(std::max(of_scatter, std::exp(kLeastLog)));
  if (low >= 0) return 1;
  const auto excess = [&](double log_level) {
    return e.half_width(std::exp(log_level)) - distance;
  };
  const double at_low = excess(low);
  const double at_high = excess(0);
  if (at_low <= 0) return std::exp(low);
  if (at_high >= 0) return 1;
  std::uintmax_t steps = 100;
  const auto [below, above] = boost::math::tools::toms748_solve(
      excess, low, 0.0, at_low, at_high,
      [](double x, double y) { return y - x <= 1e-13 * std::max(1.0, -x); }, steps);
  return std::exp(above);
}

RegionP region_p(const Evidence& e, double theta) {
  return {.faster = level_of(e, -theta - e.mean),
          .slower = level_of(e, e.mean - theta),
          // The larger of the levels on both sides: it falls with the distance.
          .equivalent = level_of(e, theta - std::abs(e.mean))};
}

// The number of trials J at which (t + t of the power)·s/√J + (room for rare slow trials)/J is the
// gap.
double trials_for(double gap, double scatter, double unseen) {
  if (unseen == 0) return std::pow(scatter / gap, 2);
  const double root = (std::sqrt(scatter * scatter + 4 * unseen * gap) - scatter) / (2 * unseen);
  return 1 / (root * root);
}

// Chance that the interval of so many trials lies in the region of the mean, if mean and spread are
// the true ones; the estimated standard error taken as the true one. unseen: room for rare slow
// trials × J.
double power(double mean, double spread, double unseen, double trials, const LookRule& rule) {
  const double dof = trials - 1;
  const double t = -t_quantile(rule.interval_alpha / 2, dof);
  const auto clears = [&](double distance) {
    return t_cdf((distance - unseen / trials) * std::sqrt(trials) / spread - t, dof);
  };
  const double size = std::abs(mean);
  if (size > rule.theta) return clears(size - rule.theta);
  return clears(rule.theta - size) + clears(rule.theta + size) - 1;
}

// The smallest number of trials with kPlanningPower. What a normal distribution would need is a
// lower bound, and close.
double trials_for_power(double mean, double spread, double unseen, const LookRule& rule) {
  constexpr double kAlmostNormal = 1e9;  // degrees of freedom
  const double quantiles = -t_quantile(rule.interval_alpha / 2, kAlmostNormal) +
                           t_quantile(kPlanningPower, kAlmostNormal);
  const double gap = std::abs(std::abs(mean) - rule.theta);
  const double least = std::floor(trials_for(gap, quantiles * spread, unseen));
  if (!(least < kMostTrialsNeeded)) return kMostTrialsNeeded;
  double low = std::max(1.0, least);
  double step = 4;
  while (power(mean, spread, unseen, low + step, rule) < kPlanningPower) {
    low += step;
    step *= 2;
  }
  double high = low + step;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (power(mean, spread, unseen, middle, rule) < kPlanningPower ? low : high) = middle;
  }
  return high;
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
  const double trials = static_cast<double>(outcome.trials);
  const double needed = trials_for_power(e.mean, e.standard_error * std::sqrt(trials),
                                         e.unseen_half_width(rule.interval_alpha) * trials, rule);
  if (!(needed < kMostTrialsNeeded)) {
    return Missing{"at-the-margin", "the mean lies on the margin: no number of trials decides it"};
  }
  return std::max(needed, trials + 1);
}

}  // namespace

Verdict region_of(const Interval& interval, double theta) {
  if (interval.low > theta) return Verdict::slower;
  if (interval.high < -theta) return Verdict::faster;
  if (interval.low > -theta && interval.high < theta) return Verdict::equivalent;
  return Verdict::inconclusive;
}

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
                      .unseen_half_width = too_few,
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
             .unseen_unit = kUnseenTrialSds * *outcome.standard_deviation / trials,
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
                          : skewness(differences, rule.seed, rule.skewness_alpha);
  outcome.skewed = outcome.skewness && outcome.skewness->p <= rule.skewness_alpha;

  if (tied && !resolution) {
    const Missing no_spread{"no-spread",
                            "all differences tie and the timer's step is unknown, so nothing says "
                            "how close to the mean the truth is"};
    outcome.t_half_width = no_spread;
    outcome.unseen_half_width = no_spread;
    outcome.interval = no_spread;
    outcome.sign_flip_p = no_spread;
    outcome.p = no_spread;
    outcome.trials_needed = no_spread;
    return outcome;
  }

  const auto around_mean = [&](double half_width) {
    return Interval{e.mean - half_width, e.mean + half_width};
  };
  outcome.unseen_half_width = e.unseen_half_width(rule.interval_alpha);
  outcome.interval = around_mean(e.half_width(rule.interval_alpha));
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
  outcome.blocked_by_unseen =
      region == Verdict::inconclusive &&
      region_of(around_mean(e.scatter_half_width(rule.interval_alpha)), rule.theta) != region;
  if (!outcome.blocked_by_sign_flip && !outcome.blocked_by_skewness) outcome.verdict = region;
  outcome.trials_needed = trials_needed(e, rule, outcome);
  return outcome;
}

}  // namespace assay::stats
