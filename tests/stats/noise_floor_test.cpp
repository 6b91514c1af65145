// SPDX-License-Identifier: MIT
#include "assay/stats/noise_floor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/summary.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

constexpr double kAlpha = 0.01;

const Resolution kCoarse{.step_s = 1e-6,
                         .samples_per_trial = 20,
                         .baseline = {.sample_length_s = 1e-3, .within_trial_sd_s = 1e-8},
                         .candidate = {.sample_length_s = 1e-3, .within_trial_sd_s = 1e-8}};

SelfComparison self_of(double mean, double sd) {
  SelfComparison self;
  self.mean = mean;
  self.standard_deviation = sd;
  return self;
}

double normal_from(Random& random) {
  const double u = 1 - random.next_uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.next_uniform());
}

TEST(NoiseFloor, IsTheUpperEndOfTheIntervalOfAAgainstA) {
  const SelfComparison self = self_of(-0.002, 0.01);
  std::size_t i = 0;
  for (const std::size_t trials : {8U, 64U}) {
    const double half_width = 0.01 * oracle::kHalfWidthAfter8And64[i++];
    EXPECT_NEAR(*half_width_after(self, trials, kAlpha), half_width, 1e-12);
    EXPECT_NEAR(*equivalence_margin(self, trials, kAlpha), std::expm1(0.002 + half_width), 1e-12);
    EXPECT_EQ(*equivalence_margin(self, trials, kAlpha),
              *equivalence_margin(self_of(0.002, 0.01), trials, kAlpha));
  }
}

TEST(NoiseFloor, IsTheSmallestMarginAtWhichAIsCalledEquivalentToA) {
  Random random(11);
  std::vector<double> differences;
  for (int i = 0; i < 32; ++i) differences.push_back(0.001 + 0.004 * normal_from(random));
  const SelfComparison self = self_of(mean(differences), *standard_deviation(differences));
  const double floor = *equivalence_margin(self, 32, kAlpha);
  const auto verdict_at = [&](double margin) {
    const LookRule rule{.theta = std::log1p(margin), .interval_alpha = kAlpha, .seed = 1};
    return judge_look(differences, rule, self.resolution).verdict;
  };
  EXPECT_EQ(verdict_at(floor * 1.000001), Verdict::equivalent);
  EXPECT_EQ(verdict_at(floor * 0.999999), Verdict::inconclusive);
}

TEST(NoiseFloor, KeepsABiasHoweverManyTrialsThereAre) {
  EXPECT_GT(*equivalence_margin(self_of(0.01, 0.001), 100'000, kAlpha), std::expm1(0.01));
}

TEST(NoiseFloor, ResolvesWhatTheNoncentralTDistributionSays) {
  std::size_t i = 0;
  for (const std::size_t trials : {8U, 64U}) {
    const double exact = 0.01 * oracle::kResolvableAfter8And64[i++];
    EXPECT_NEAR(*resolvable_difference(self_of(0, 0.01), trials, kAlpha), std::expm1(exact),
                0.005 * exact);
  }
}

TEST(NoiseFloor, IsNeverBelowWhatTheTimerSupports) {
  SelfComparison self = self_of(0, 0);
  self.resolution = kCoarse;  // in phase with its steps: r/T, whatever the number of trials
  for (const std::size_t trials : {8U, 128U}) {
    EXPECT_NEAR(*half_width_after(self, trials, kAlpha), 1e-3, 1e-15);
    EXPECT_NEAR(*equivalence_margin(self, trials, kAlpha), std::expm1(1e-3), 1e-15);
    EXPECT_NEAR(*resolvable_difference(self, trials, kAlpha), std::expm1(1e-3), 1e-15);
  }
}

TEST(NoiseFloor, IsUnknownWithoutSpreadAndWithoutTimer) {
  EXPECT_EQ(half_width_after(self_of(0, 0), 8, kAlpha).missing().reason, "no-spread");
  EXPECT_EQ(equivalence_margin(self_of(0, 0), 8, kAlpha).missing().reason, "no-spread");
  EXPECT_EQ(resolvable_difference(self_of(0, 0), 8, kAlpha).missing().reason, "no-spread");
}

// The promise "80 of 100", through the whole rule: interval and sign-flip.
TEST(NoiseFloor, TellsADifferenceInAboutEightyOfAHundredExperiments) {
  constexpr int experiments = 1500;
  for (const std::size_t trials : {8U, 16U, 32U}) {
    const double difference = std::log1p(*resolvable_difference(self_of(0, 0.01), trials, kAlpha));
    Random random(derive_key(5, {"noise-floor", std::to_string(trials)}));
    int called = 0;
    for (int i = 0; i < experiments; ++i) {
      std::vector<double> differences;
      for (std::size_t j = 0; j < trials; ++j) {
        differences.push_back(difference + 0.01 * normal_from(random));
      }
      const LookRule rule{.theta = 0,
                          .interval_alpha = kAlpha,
                          .guard_alpha = kAlpha,
                          .seed = static_cast<std::uint64_t>(i)};
      called += judge_look(differences, rule, Missing{"none", ""}).verdict == Verdict::slower;
    }
    const double power = static_cast<double>(called) / experiments;
    EXPECT_NEAR(power, 0.8, 0.04) << trials;  // four standard errors
  }
}

}  // namespace
}  // namespace assay::stats
