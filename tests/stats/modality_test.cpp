// SPDX-License-Identifier: MIT
#include "assay/stats/modality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "assay/base/random.hpp"
#include "assay/stats/dip.hpp"
#include "dip_oracle_values.hpp"

namespace assay::stats {
namespace {

using Series = std::vector<std::vector<double>>;

Reading<Modality> modality_of(const Series& trials, const Reading<double>& step,
                              std::uint64_t seed = 1) {
  ModeFinder find_modes;
  return modality(std::vector<std::span<const double>>(trials.begin(), trials.end()), step, seed,
                  find_modes);
}

double next_normal(Random& random) {
  const double u = 1 - random.next_uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.next_uniform());
}

// Trials of normal samples about 1000, SD 1; `slow` of trial and sample is added.
template <typename Slow>
Series series_of(std::size_t trials, std::size_t samples, Slow slow) {
  Random random(20261130);
  Series result(trials);
  for (std::size_t j = 0; j < trials; ++j) {
    for (std::size_t k = 0; k < samples; ++k) {
      result[j].push_back(1000 + next_normal(random) + slow(j, k));
    }
  }
  return result;
}

TEST(Dip, AgreesWithDiptest) {
  for (const auto& set : oracle::kDipSets) {
    EXPECT_NEAR(dip(set.values), set.dip, 1e-9 * set.dip) << set.values.size() << " values";
    // The package interpolates within the chance of the least dip, which is not meant to be cut.
    if (set.dip * 2 * static_cast<double>(set.values.size()) < 1.001) continue;
    const double p = dip_p_value(dip(set.values), set.values.size());
    EXPECT_NEAR(p, std::max(set.p, kLeastDipP), 0.012) << set.values.size() << " values";
  }
}

TEST(Dip, PAgreesWithDiptestBetweenTheSizesOfTheTable) {
  for (const auto& one : oracle::kDipPs) {
    EXPECT_NEAR(dip_p_value(one.dip, one.count), one.p, 0.01 + 0.02 * one.p) << one.count;
  }
}

TEST(Dip, IsHalfAStepAtLeastAndAQuarterAtMost) {
  EXPECT_EQ(dip(std::vector{7.0}), 0.5);
  EXPECT_EQ(dip(std::vector{7.0, 7.0, 7.0, 7.0}), 0.125);
  EXPECT_EQ(dip(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}), 0.1);
  std::vector<double> two(1000, 1.0);
  std::fill(two.begin() + 500, two.end(), 2.0);
  EXPECT_NEAR(dip(two), 0.25, 1e-12);
  EXPECT_EQ(dip_p_value(dip(two), 1000), kLeastDipP);
}

TEST(Dip, PFallsAsTheDipGrowsAndIsOneForTheLeast) {
  for (const std::size_t count : {4U, 13U, 100U, 3000U, 1000000U}) {
    const double n = static_cast<double>(count);
    double before = 1;
    EXPECT_EQ(dip_p_value(0.5 / n, count), 1) << count;
    for (double scaled = 0.2; scaled < 0.9; scaled += 0.01) {
      const double p = dip_p_value(scaled / std::sqrt(n), count);
      EXPECT_LE(p, before);
      before = p;
    }
    EXPECT_EQ(before, kLeastDipP) << count;
  }
}

TEST(Dip, RefusesWhatIsNotSortedOrNotFinite) {
  EXPECT_THROW(dip(std::vector<double>{}), Error);
  EXPECT_THROW(dip(std::vector{2.0, 1.0}), Error);
  EXPECT_THROW(dip(std::vector{1.0, std::numeric_limits<double>::infinity()}), Error);
  EXPECT_THROW(dip_p_value(0.1, 3), Error);
}

TEST(EvenQuantiles, AgreeWithSciPy) {
  const auto& values = oracle::kDipSets[oracle::kQuantilesOf].values;
  const auto quantiles = EvenQuantiles(values.size(), 10)(values);
  ASSERT_EQ(quantiles.size(), 11U);
  EXPECT_EQ(quantiles.front(), values.front());
  EXPECT_EQ(quantiles.back(), values.back());
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_NEAR(quantiles[i], oracle::kTenths[i - 1], 1e-7) << i;
    EXPECT_NEAR(quantiles[i], harrell_davis(values, 0.1 * static_cast<double>(i)), 1e-7) << i;
  }
}

TEST(Modes, ArePlacedWithTheirShares) {
  auto values =
      series_of(1, 2000, [](std::size_t, std::size_t k) { return k % 10 < 3 ? 8 : 0; })[0];
  std::sort(values.begin(), values.end());
  const auto modes = ModeFinder()(values);
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_NEAR(modes[0].location, 1000, 0.5);
  EXPECT_NEAR(modes[1].location, 1008, 0.5);
  EXPECT_NEAR(modes[0].share_frac, 0.7, 0.02);
  EXPECT_NEAR(modes[1].share_frac, 0.3, 0.02);
  EXPECT_EQ(modes[0].low, values.front());
  EXPECT_EQ(modes[0].high, modes[1].low);
  EXPECT_NEAR(modes[1].low, 1004, 2);
  EXPECT_EQ(modes[1].high, values.back());
}

TEST(Modes, OfAFloorWithALongTailAreOne) {
  std::vector<double> values;
  for (int i = 1; i < 1000; ++i) values.push_back(10 - std::log1p(-i / 1000.0));
  EXPECT_EQ(ModeFinder()(values).size(), 1U);
}

TEST(Modes, OfEqualValuesAndOfOneAreOneWithoutWidth) {
  for (const std::size_t count : {1U, 50U}) {
    const auto modes = ModeFinder()(std::vector<double>(count, 5.0));
    ASSERT_EQ(modes.size(), 1U);
    EXPECT_EQ(modes[0].location, 5);
    EXPECT_EQ(modes[0].share_frac, 1);
  }
  EXPECT_THROW(ModeFinder()(std::vector<double>{}), Error);
}

TEST(Dequantised, MovesByHalfAStepAtMostAndTheSameWayForTheSameSeed) {
  const std::vector<double> values(1000, 64);
  const auto moved = dequantised(values, 8, 5);
  EXPECT_EQ(moved, dequantised(values, 8, 5));
  EXPECT_NE(moved, dequantised(values, 8, 6));
  const auto [low, high] = std::minmax_element(moved.begin(), moved.end());
  EXPECT_GE(*low, 60);
  EXPECT_LE(*high, 68);
  EXPECT_LT(*low, 60.1);
  EXPECT_GT(*high, 67.9);
  EXPECT_EQ(dequantised(values, 0, 5), values);
  EXPECT_THROW(dequantised(values, -1, 5), Error);
}

TEST(SmallestGap, IsTheTimersStepWhateverTheOrder) {
  EXPECT_NEAR(*smallest_gap(std::vector{96.0, 32.0, 64.0, 64.0, 160.0}), 32, 1e-12);
  EXPECT_NEAR(*smallest_gap(std::vector{0.1 + 0.2, 0.3, 0.7}), 0.4, 1e-12);
  EXPECT_EQ(smallest_gap(std::vector{5.0, 5.0}).missing().reason, "no-spread");
}

TEST(Modality, OfOneModeIsNoneHoweverFarTrialsLieApart) {
  Random random(3);
  for (const std::size_t trials : {8U, 16U, 64U}) {
    const auto spread = series_of(trials, 20, [&](std::size_t, std::size_t k) {
      static double centre = 0;
      if (k == 0) centre = 5 * next_normal(random);
      return centre;
    });
    const auto result = modality_of(spread, 0.001);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(result->several()) << trials;
    EXPECT_TRUE(result->modes.empty());
    EXPECT_EQ(result->p_between.has_value(), trials >= kLeastTrialsForModes);
  }
}

TEST(Modality, WithinTrialsIsSaidWithItsModes) {
  const auto mixed = [](std::size_t, std::size_t k) { return k % 10 < 3 ? 8.0 : 0.0; };
  const auto result = modality_of(series_of(16, 20, mixed), 0.001);
  EXPECT_EQ(result->seen, ModesSeen::within_trials);
  ASSERT_EQ(result->modes.size(), 2U);
  EXPECT_NEAR(result->modes[1].location - result->modes[0].location, 8, 1);
  EXPECT_NEAR(result->modes[0].share_frac, 0.7, 0.05);
  EXPECT_GE(*result->p_between, kModalityAlpha);
  // Two modes of equal share, where a median would hop from one to the other.
  const auto equal = [](std::size_t j, std::size_t k) { return (k + j) % 2 == 0 ? 8.0 : 0.0; };
  EXPECT_EQ(modality_of(series_of(16, 21, equal), 0.001)->modes.size(), 2U);
}

TEST(Modality, BetweenTrialsIsSaidAsSuchFromSixteenOn) {
  const auto two_cores = [](std::size_t j, std::size_t) { return j % 3 == 0 ? 30.0 : 0.0; };
  const auto result = modality_of(series_of(18, 20, two_cores), 0.001);
  EXPECT_EQ(result->seen, ModesSeen::between_trials);
  EXPECT_LT(*result->p_between, kModalityAlpha);
  EXPECT_GE(*result->p_within, kModalityAlpha);
  ASSERT_EQ(result->modes.size(), 2U);
  EXPECT_NEAR(result->modes[1].location, 1030, 1);
  EXPECT_NEAR(result->modes[1].share_frac, 1.0 / 3, 0.05);

  const auto few = modality_of(series_of(15, 20, two_cores), 0.001);
  EXPECT_EQ(few->seen, ModesSeen::insufficient);
  EXPECT_FALSE(few->several());
  EXPECT_EQ(few->p_between.missing().reason, "insufficient");
  EXPECT_NE(few->p_between.missing().detail.find("need 16 trials; there are 15"),
            std::string::npos);
}

TEST(Modality, WithinAndBetweenAreSaidTogether) {
  const auto both = [](std::size_t j, std::size_t k) {
    return (j % 2 == 0 ? 100.0 : 0.0) + (k % 10 < 3 ? 8.0 : 0.0);
  };
  const auto result = modality_of(series_of(32, 20, both), 0.001);
  EXPECT_EQ(result->seen, ModesSeen::within_and_between);
  EXPECT_EQ(result->modes.size(), 4U);
}

TEST(Modality, OfTimesInTheStepsOfATimerIsNone) {
  auto rounded = series_of(20, 20, [](std::size_t, std::size_t) { return 0.0; });
  for (auto& trial : rounded) {
    for (double& v : trial) v = 2 * std::round(v / 2);
  }
  EXPECT_EQ(modality_of(rounded, 2.0)->seen, ModesSeen::none);
  EXPECT_EQ(modality_of(rounded, Missing{"not-measured", ""})->seen, ModesSeen::none);
  EXPECT_NE(modality_of(rounded, 0.0)->seen, ModesSeen::none) << "the steps are modes to the dip";
}

TEST(Modality, WithinIsNotAskedOfTrialsOfThreeSamples) {
  const auto two_cores = [](std::size_t j, std::size_t) { return j % 2 == 0 ? 30.0 : 0.0; };
  for (const std::size_t samples : {1U, 3U}) {
    const auto result = modality_of(series_of(24, samples, two_cores), 0.001);
    EXPECT_EQ(result->p_within.missing().reason, "too-few-a-trial");
    EXPECT_EQ(result->seen, ModesSeen::between_trials);
  }
  EXPECT_TRUE(modality_of(series_of(24, 4, two_cores), 0.001)->p_within.has_value());
}

TEST(Modality, DependsOnTheSeedAndTheSamplesAlone) {
  const auto mixed = [](std::size_t, std::size_t k) { return k % 2 == 0 ? 8.0 : 0.0; };
  const Series trials = series_of(10, 20'000, mixed);  // more than are looked at
  const auto a = modality_of(trials, 0.5, 7);
  const auto b = modality_of(trials, 0.5, 7);
  EXPECT_EQ(*a->p_within, *b->p_within);
  ASSERT_EQ(a->modes.size(), 2U);
  EXPECT_EQ(a->modes[0].location, b->modes[0].location);
  EXPECT_NE(a->modes[0].location, modality_of(trials, 0.5, 8)->modes[0].location);
  // Every other sample is of the second mode, and the thinning does not fall in step with it.
  EXPECT_NEAR(a->modes[0].share_frac, 0.5, 0.02);
}

TEST(Modality, IsMissingWithAReasonWhereThereIsNothingToSee) {
  const auto reason = [](const Series& trials, const Reading<double>& step) {
    return modality_of(trials, step).missing().reason;
  };
  EXPECT_EQ(reason({}, 1.0), "too-few-values");
  EXPECT_EQ(reason({{}}, 1.0), "too-few-values");
  EXPECT_EQ(reason({{5}}, 1.0), "too-few-values");
  EXPECT_EQ(reason({{5, 6}, {7}}, 1.0), "too-few-values");
  EXPECT_EQ(reason({{5, 5}, {5, 5}}, 1.0), "no-spread");
  EXPECT_EQ(reason({{5, 5}, {5, 5}}, Missing{"not-measured", ""}), "no-spread");
  EXPECT_EQ(reason({{5, 6}, {7, 8}}, 5.0), "too-coarse");
  // Without a step the gap stands for it, and jitter of half of it could make a time negative.
  EXPECT_EQ(reason({{100, 100}, {100, 2000}}, Missing{"not-measured", ""}), "too-coarse");
  // Trials that differ, each of equal samples: nothing is seen within.
  const auto constant = modality_of({{50, 50, 50, 50}, {60, 60, 60, 60}}, 0.0);
  EXPECT_EQ(constant->p_within.missing().reason, "no-spread");
}

TEST(Modality, RefusesTimesThatCannotBe) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.0, -1.0, infinite, std::nan("")}) {
    EXPECT_THROW(modality_of({{5, 6, 7, wrong}}, 1.0), Error) << wrong;
  }
  EXPECT_THROW(modality_of({{5, 6, 7, 8}}, infinite), Error);
}

}  // namespace
}  // namespace assay::stats
