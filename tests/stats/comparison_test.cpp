// SPDX-License-Identifier: MIT
#include "assay/stats/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/control.hpp"
#include "assay/stats/sign_flip.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

const Reading<Resolution> kUnknown = Missing{"not-measured", "the test has no timer"};

// A timer of 32 ns; samples of 1 ms; within-trial spread in steps of the timer.
Resolution timer(double sample_length_s, double spread_steps, std::size_t samples = 20) {
  constexpr double step_s = 32e-9;
  const SubjectTiming subject{sample_length_s, spread_steps * step_s};
  return {step_s, samples, subject, subject};
}

std::vector<double> negated(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& v : result) v = -v;
  return result;
}

// Symmetric differences about `centre`.
std::vector<double> symmetric(double centre, double half_range, int pairs = 16) {
  std::vector<double> values;
  for (int i = 1; i <= pairs; ++i) {
    values.push_back(centre + half_range * i / pairs);
    values.push_back(centre - half_range * i / pairs);
  }
  return values;
}

// Every seventh of them slower by `extra`: nine of 64, whose signs agree by chance once in 256.
std::vector<double> with_slow_trials(std::vector<double> values, double extra) {
  for (std::size_t i = 3; i < values.size(); i += 7) values[i] += extra;
  return values;
}

TEST(JudgeLook, CallsSlowerWhatLiesAboveTheMargin) {
  const auto outcome = judge_look(oracle::kSlower, {.theta = 0.01}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::slower);
  EXPECT_EQ(outcome.trials, 10U);
  EXPECT_NEAR(outcome.interval->low, oracle::kVerdictInterval99[0], 1e-14);
  EXPECT_NEAR(outcome.interval->high, oracle::kVerdictInterval99[1], 1e-14);
  const double centre = (oracle::kTInterval99[0] + oracle::kTInterval99[1]) / 2;
  EXPECT_NEAR(*outcome.t_half_width, oracle::kTInterval99[1] - centre, 1e-14);
  EXPECT_NEAR(outcome.p->slower, oracle::kLevelAboveOnePercent, 1e-12);
  EXPECT_DOUBLE_EQ(*outcome.sign_flip_p, smallest_sign_flip_p(10));
  EXPECT_EQ(outcome.trials_needed.missing().reason, "decided");
  EXPECT_EQ(outcome.p->of(outcome.verdict), outcome.p->slower);
}

TEST(JudgeLook, CallsFasterTheMirrorImage) {
  const auto outcome = judge_look(negated(oracle::kSlower), {.theta = 0.01}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::faster);
  EXPECT_NEAR(outcome.p->faster, oracle::kLevelAboveOnePercent, 1e-12);
  EXPECT_NEAR(outcome.interval->high, -oracle::kVerdictInterval99[0], 1e-14);
}

TEST(JudgeLook, CallsEquivalentWhatLiesWithinTheMargin) {
  const auto outcome = judge_look(oracle::kNearZero, {.theta = 0.005}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::equivalent);
  EXPECT_NEAR(outcome.p->equivalent, oracle::kLevelEquivalent, 1e-12);
  EXPECT_EQ(outcome.sign_flip_p.missing().reason, "within-margin");
}

TEST(JudgeLook, IsInconclusiveAcrossTheMargin) {
  const auto outcome = judge_look(oracle::kSlower, {.theta = 0.018}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_FALSE(outcome.blocked_by_unseen) << "what was seen decides nothing either";
  EXPECT_GT(*outcome.trials_needed, 10);
  EXPECT_EQ(outcome.p->of(outcome.verdict), 1);
}

TEST(JudgeLook, HoldsTheSignFlipAgainstTheMarginOnTheMeansSide) {
  const LookRule rule{.theta = 0.016};
  EXPECT_DOUBLE_EQ(*judge_look(oracle::kSlower, rule, kUnknown).sign_flip_p,
                   oracle::kSignFlipSlower);
  EXPECT_DOUBLE_EQ(*judge_look(negated(oracle::kSlower), rule, kUnknown).sign_flip_p,
                   oracle::kSignFlipSlower);
}

TEST(JudgeLook, NeverCallsEquivalentAtMarginZero) {
  const auto outcome = judge_look(symmetric(0, 0.001), {.theta = 0}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_EQ(outcome.p->equivalent, 1);
  EXPECT_EQ(outcome.trials_needed.missing().reason, "at-the-margin");
}

TEST(JudgeLook, NeedsTheSignFlipForADifference) {
  // Seven trials agree as well as seven can, but 2/2^7 is above the level of the guard.
  const std::vector<double> values{0.020, 0.021, 0.022, 0.020, 0.021, 0.022, 0.021};
  const auto outcome = judge_look(values, {.theta = 0.01}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_TRUE(outcome.blocked_by_sign_flip);
  EXPECT_GT(outcome.interval->low, 0.01);
  EXPECT_EQ(judge_look(values, {.theta = 0.01, .guard_alpha = 0.02}, kUnknown).verdict,
            Verdict::slower);
}

TEST(JudgeLook, DoesNotCallLopsidedDifferencesEquivalent) {
  const auto values = with_slow_trials(symmetric(0, 0.002, 32), 0.02);
  const LookRule rule{.theta = 0.01};
  const auto outcome = judge_look(values, rule, kUnknown);
  EXPECT_TRUE(outcome.skewed);
  EXPECT_TRUE(outcome.blocked_by_skewness);
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_EQ(outcome.trials_needed.missing().reason, "skewed");
  LookRule lenient = rule;
  lenient.skewness_alpha = 0;
  EXPECT_EQ(judge_look(values, lenient, kUnknown).verdict, Verdict::equivalent);
}

TEST(JudgeLook, SaysSlowerOfLopsidedDifferencesAndMarksThem) {
  const auto values = with_slow_trials(symmetric(0.05, 0.002, 32), 0.02);
  const auto outcome = judge_look(values, {.theta = 0.01}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::slower);
  EXPECT_TRUE(outcome.skewed);
  EXPECT_FALSE(outcome.blocked_by_skewness);
}

TEST(JudgeLook, OfTiesWithoutAKnownTimerStepIsInconclusive) {
  const std::vector<double> ties(16, 0.05);
  const auto outcome = judge_look(ties, {.theta = 0.01}, kUnknown);
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_EQ(outcome.interval.missing().reason, "no-spread");
  EXPECT_EQ(outcome.p.missing().reason, "no-spread");
  EXPECT_DOUBLE_EQ(*outcome.mean, 0.05);
}

TEST(JudgeLook, OfTiesIsAsWideAsTheTimerStep) {
  const std::vector<double> ties(16, 0.05);
  const auto outcome = judge_look(ties, {.theta = 0.01}, timer(3.2e-6, 0));  // r/T = 1 %
  EXPECT_EQ(outcome.verdict, Verdict::slower);
  EXPECT_NEAR(outcome.interval->low, 0.04, 1e-12);
  EXPECT_NEAR(outcome.interval->high, 0.06, 1e-12);
  EXPECT_EQ(*outcome.t_half_width, 0);
  EXPECT_NEAR(*outcome.resolution_half_width, 0.01, 1e-12);
  EXPECT_EQ(outcome.p->slower, 0);
  EXPECT_EQ(outcome.skewness.missing().reason, "no-spread");
}

TEST(JudgeLook, CannotCallEquivalentWhatTheTimerCannotResolve) {
  const std::vector<double> ties(64, 0.0);
  const auto outcome = judge_look(ties, {.theta = 0.009}, timer(3.2e-6, 0));
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_EQ(outcome.p->equivalent, 1);
  EXPECT_EQ(outcome.trials_needed.missing().reason, "below-resolution");
}

TEST(JudgeLook, AveragesTheTimerStepsOutWhereSamplesSpread) {
  const std::vector<double> ties(64, 0.0);
  const auto outcome = judge_look(ties, {.theta = 0.009}, timer(3.2e-6, 1));
  EXPECT_EQ(outcome.verdict, Verdict::equivalent);
  const double t = t_quantile(0.995, 63);
  EXPECT_NEAR(*outcome.resolution_half_width, t * 0.01 / std::sqrt(6.0 * 20 * 64), 1e-12);
  EXPECT_NEAR(outcome.interval->high, *outcome.resolution_half_width, 1e-15);
}

TEST(JudgeLook, TakesTheWiderOfScatterAndResolution) {
  const auto fine = judge_look(oracle::kSlower, {.theta = 0.01}, timer(1e-3, 1000));
  EXPECT_NEAR(fine.interval->low, oracle::kVerdictInterval99[0], 1e-14);
  const auto coarse = judge_look(oracle::kSlower, {.theta = 0.01}, timer(1.6e-6, 0));
  EXPECT_NEAR(coarse.interval->high - coarse.interval->low, 0.04 + 2 * *coarse.unseen_half_width,
              1e-12);
  EXPECT_EQ(coarse.verdict, Verdict::inconclusive);
}

TEST(JudgeLook, LeavesRoomForSlowTrialsThatItNeedNotHaveSeen) {
  // Of eight trials the t interval alone would decide; a tenth of slow trials would be absent from
  // eight in 43 of 100 cases. The room shrinks with the number of trials, faster than the interval.
  std::vector<double> differences{0.017, 0.02, 0.023, 0.019, 0.021, 0.018, 0.022, 0.02};
  const LookRule rule{.theta = 0.0172};
  const auto eight = judge_look(differences, rule, kUnknown);
  EXPECT_GT(*eight.mean - *eight.t_half_width, rule.theta);
  EXPECT_EQ(eight.verdict, Verdict::inconclusive);
  EXPECT_TRUE(eight.blocked_by_unseen);
  EXPECT_NEAR(*eight.unseen_half_width,
              kUnseenTrialSds * std::log(100.0) / 8 * *eight.standard_deviation, 1e-15);
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<double> once = differences;
    differences.insert(differences.end(), once.begin(), once.end());
  }
  const auto many = judge_look(differences, rule, kUnknown);
  EXPECT_EQ(many.verdict, Verdict::slower);
  EXPECT_FALSE(many.blocked_by_unseen);
  EXPECT_LT(*many.unseen_half_width / *many.t_half_width,
            *eight.unseen_half_width / *eight.t_half_width);
}

TEST(JudgeLook, TheTrialsThatItAsksForWouldDecide) {
  // The same mean and spread from as many trials as it asks for, and from a quarter of them.
  const std::vector<double> pattern{-1, 1, 0.5, -0.5, 1.5, -1.5, 0.2, -0.2};
  const auto at = [&](std::size_t count) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < count; ++i) {
      differences.push_back(0.0135 + 0.008 * pattern[i % pattern.size()]);
    }
    return judge_look(differences, {.theta = 0.01}, kUnknown);
  };
  const auto first = at(8);
  ASSERT_TRUE(first.trials_needed.has_value());
  const auto needed = static_cast<std::size_t>(*first.trials_needed);
  EXPECT_GT(needed, 30U);
  EXPECT_LT(needed, 200U);
  EXPECT_EQ(at((needed / 8 + 1) * 8).verdict, Verdict::slower);
  EXPECT_EQ(at(needed / 32 * 8).verdict, Verdict::inconclusive);
}

TEST(JudgeLook, ItsPIsTheLevelAtWhichTheVerdictBegins) {
  for (const auto& resolution :
       {kUnknown, Reading<Resolution>(timer(3.2e-6, 1)), Reading<Resolution>(timer(3.2e-5, 0))}) {
    const LookRule rule{.theta = 0.012, .guard_alpha = 0.9};
    const double p = judge_look(oracle::kSlower, rule, resolution).p->slower;
    LookRule just_below = rule;
    just_below.interval_alpha = p * 0.999;
    LookRule just_above = rule;
    just_above.interval_alpha = p * 1.001;
    EXPECT_EQ(judge_look(oracle::kSlower, just_below, resolution).verdict, Verdict::inconclusive);
    EXPECT_EQ(judge_look(oracle::kSlower, just_above, resolution).verdict, Verdict::slower);
  }
}

TEST(JudgeLook, OfFewerThanTwoTrialsIsInconclusive) {
  const std::vector<double> one{0.05};
  const auto outcome = judge_look(one, {.theta = 0.01}, timer(1e-3, 1));
  EXPECT_EQ(outcome.verdict, Verdict::inconclusive);
  EXPECT_EQ(*outcome.mean, 0.05);
  EXPECT_EQ(outcome.interval.missing().reason, "too-few-values");
  EXPECT_FALSE(judge_look({}, {.theta = 0.01}, kUnknown).mean.has_value());
}

TEST(JudgeLook, RefusesNaNAndANegativeMargin) {
  const std::vector<double> values{0.1, std::nan(""), 0.2};
  EXPECT_THROW(judge_look(values, {.theta = 0.01}, kUnknown), Error);
  EXPECT_THROW(judge_look(oracle::kSlower, {.theta = -0.01}, kUnknown), Error);
  EXPECT_THROW(judge_look(oracle::kSlower, {.interval_alpha = 0}, kUnknown), Error);
}

TEST(Resolution, OfUnequalSamplesFollowsTheShorter) {
  Resolution resolution = timer(1e-3, 1);
  resolution.candidate.sample_length_s = 0.5e-3;
  EXPECT_DOUBLE_EQ(relative_step(resolution), 32e-9 / 0.5e-3);
  resolution.candidate.sample_length_s = 2e-3;
  EXPECT_DOUBLE_EQ(relative_step(resolution), 32e-9 / 1e-3);
}

TEST(Resolution, IsDitheredOnlyIfBothSubjectsSpread) {
  EXPECT_TRUE(is_dithered(timer(1e-3, 0.75)));
  EXPECT_FALSE(is_dithered(timer(1e-3, 0.7)));
  Resolution one_sided = timer(1e-3, 1);
  one_sided.baseline.within_trial_sd_s = 0.0;
  EXPECT_FALSE(is_dithered(one_sided));
  Resolution unknown = timer(1e-3, 1);
  unknown.candidate.within_trial_sd_s = Missing{"too-few-values", "one sample a trial"};
  EXPECT_FALSE(is_dithered(unknown));
}

TEST(Resolution, RefusesAStepOfZero) {
  Resolution resolution = timer(1e-3, 1);
  resolution.step_s = 0;
  EXPECT_THROW(relative_step(resolution), Error);
}

TEST(JudgeControl, VoidsBeyondHalfTheMargin) {
  const ControlRule rule{.theta = 0.01, .shared_alpha = 0.01 / 12, .alpha = 0.01};
  EXPECT_TRUE(judge_control(symmetric(0.008, 0.002), rule, kUnknown).voids);
  EXPECT_TRUE(judge_control(symmetric(-0.008, 0.002), rule, kUnknown).voids);
  EXPECT_FALSE(judge_control(symmetric(0.004, 0.002), rule, kUnknown).voids);
  EXPECT_FALSE(judge_control(symmetric(0.008, 0.02), rule, kUnknown).voids);
}

TEST(JudgeControl, IsSuspiciousBeforeItVoids) {
  const ControlRule rule{.theta = 0.01, .shared_alpha = 0.01 / 120, .alpha = 0.01};
  // Mean 3.5 standard errors beyond half the margin: p is about 0.0014.
  const auto values = symmetric(0.0065, 0.0042);
  const auto outcome = judge_control(values, rule, kUnknown);
  EXPECT_FALSE(outcome.voids);
  EXPECT_TRUE(outcome.suspicious);
}

TEST(JudgeControl, OfTiesVoidsNothingWithoutATimerStep) {
  const std::vector<double> ties(16, 0.05);
  const ControlRule rule{.theta = 0.01};
  const auto outcome = judge_control(ties, rule, kUnknown);
  EXPECT_FALSE(outcome.voids);
  EXPECT_EQ(outcome.interval.missing().reason, "no-spread");
  EXPECT_TRUE(judge_control(ties, rule, timer(3.2e-6, 0)).voids);
}

TEST(JudgeControl, DecidesNothingBelowTwoTrials) {
  const auto outcome = judge_control({}, {.theta = 0.01}, timer(1e-3, 1));
  EXPECT_FALSE(outcome.voids);
  EXPECT_FALSE(outcome.suspicious);
}

}  // namespace
}  // namespace assay::stats
