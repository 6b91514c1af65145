// SPDX-License-Identifier: MIT
//
// Laws that must hold for any data, and error rates that must hold on average. Seeds are fixed, so
// a failure repeats; ASSAY_PROPERTY_SEED changes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/clopper_pearson.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/detail/walsh.hpp"
#include "assay/stats/dip.hpp"
#include "assay/stats/modality.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/quantile_interval.hpp"
#include "assay/stats/robust.hpp"
#include "assay/stats/sign_flip.hpp"
#include "assay/stats/signed_rank.hpp"
#include "assay/stats/summary.hpp"
#include "many_comparisons.hpp"

namespace assay::stats {
namespace {

const Reading<Resolution> kUnknown = Missing{"not-measured", "the test has no timer"};
constexpr std::array<std::size_t, 5> kLooks{8, 16, 32, 64, 128};

// Repetitions of a simulation. Unoptimised builds (with sanitizers) run an eighth: the bounds below
// follow from the number of runs, so they only become less sharp.
constexpr std::size_t runs(std::size_t optimised) {
#ifdef __OPTIMIZE__
  return optimised;
#else
  return optimised / 8;
#endif
}

class Property : public ::testing::Test {
 protected:
  Property() : random_(seed()) { std::cout << "seed " << seed() << '\n'; }

  static std::uint64_t seed() {
    const char* given = std::getenv("ASSAY_PROPERTY_SEED");
    return given != nullptr ? std::stoull(given) : 20261129;
  }

  double uniform() { return random_.next_uniform(); }
  double normal() {
    return std::sqrt(-2 * std::log1p(-uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  double student3() {
    const double a = normal(), b = normal(), c = normal();
    return normal() / std::sqrt((a * a + b * b + c * c) / 3);
  }
  std::vector<double> draw(std::size_t count, const std::function<double()>& one) {
    std::vector<double> values(count);
    for (double& v : values) v = one();
    return values;
  }
  std::vector<double> shuffled(const std::vector<double>& values) {
    std::vector<double> result;
    for (const std::size_t i : random_.permutation(values.size())) result.push_back(values[i]);
    return result;
  }

  // The verdict of a whole experiment with one comparison: the first look that decides.
  Verdict experiment(const std::function<double()>& difference, double theta, double alpha = 0.05) {
    const auto values = draw(kLooks.back(), difference);
    const double level = level_per_look(alpha, kLooks.size());
    for (const std::size_t look : kLooks) {
      const LookRule rule{.theta = theta,
                          .interval_alpha = level,
                          .guard_alpha = level,
                          .skewness_alpha = 0.01,
                          .seed = random_.next()};
      const auto outcome = judge_look(std::span(values).first(look), rule, kUnknown);
      if (outcome.verdict != Verdict::inconclusive) return outcome.verdict;
    }
    return Verdict::inconclusive;
  }

  Random random_;
};

// Hits are too many for a true rate of at most `rate` (one-sided, 1 in 10,000).
bool exceeds(std::size_t hits, std::size_t trials, double rate) {
  return clopper_pearson(hits, trials, 1 - 2e-4).low > rate;
}
bool falls_short(std::size_t hits, std::size_t trials, double rate) {
  return clopper_pearson(hits, trials, 1 - 2e-4).high < rate;
}

TEST_F(Property, OrderNeverMatters) {
  for (const std::size_t count : {2U, 3U, 16U, 33U}) {
    const auto values = draw(count, [&] { return 1000 + student3(); });
    const auto other = shuffled(values);
    EXPECT_DOUBLE_EQ(mean(values), mean(other));
    EXPECT_EQ(median(values), median(other));
    EXPECT_DOUBLE_EQ(*standard_deviation(values), *standard_deviation(other));
    EXPECT_EQ(*median_absolute_deviation(values), *median_absolute_deviation(other));
    EXPECT_EQ(trimmed_mean(values, 0.1), trimmed_mean(other, 0.1));
    EXPECT_EQ(hodges_lehmann(values), hodges_lehmann(other));
    EXPECT_EQ(harrell_davis(values, 0.3), harrell_davis(other, 0.3));
    EXPECT_EQ(sign_flip(values, 1000, 5).p_two_sided, sign_flip(other, 1000, 5).p_two_sided);
    if (count >= 3) {
      EXPECT_EQ(skewness(values, 5)->p, skewness(other, 5)->p);
    }
    EXPECT_EQ(summarise(values).mean, summarise(other).mean);
  }
}

// All averages, sorted.
std::vector<double> walsh_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) {
      averages.push_back(values[i] / 2 + values[j] / 2);
    }
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

TEST_F(Property, WalshAveragesAreThoseOfMakingThemAll) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const std::vector<std::function<double()>> kinds{
      [&] { return normal(); },
      [&] { return 1e-9 * student3(); },
      [&] { return std::floor(4 * normal()); },              // ties, zeros
      [&] { return std::exp(600 * (uniform() - 0.5)); },     // of all magnitudes
      [&] { return largest * (2 * uniform() - 1); },         // whose sums overflow
      [&] { return smallest * std::floor(9 * uniform()); },  // that halve inexactly
      [&] { return uniform() < 0.5 ? -0.0 : 0.0; }};
  for (const auto& kind : kinds) {
    for (const std::size_t count : {1U, 2U, 3U, 4U, 17U, 64U}) {
      const auto values = draw(count, kind);
      const auto all = walsh_averages(values);
      auto sorted = values;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(detail::walsh_count(count), all.size());
      for (std::size_t k = 0; k < all.size(); ++k) {
        ASSERT_EQ(detail::walsh_average(sorted, k), all[k]) << count << " values, place " << k;
      }
      if (all.size() % 2 == 1) {
        EXPECT_EQ(hodges_lehmann(values), all[all.size() / 2]);
      } else {
        EXPECT_EQ(hodges_lehmann(values), (all[all.size() / 2 - 1] + all[all.size() / 2]) / 2);
      }
    }
  }
}

// A quarter of a million values have 31 thousand million averages, 250 GB of them.
TEST_F(Property, WalshAveragesOfManyValuesNeedNoMemory) {
  constexpr std::size_t count = 250'001;
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  const auto order = shuffled(values);
  EXPECT_EQ(hodges_lehmann(order), static_cast<double>(count / 2));
  const auto interval = hodges_lehmann_interval(order, 0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low + interval->high, static_cast<double>(count - 1));
  EXPECT_LT(interval->low, static_cast<double>(count / 2));
}

TEST_F(Property, ShiftAndScaleCarryThrough) {
  const auto values = draw(41, [&] { return 5 + student3(); });
  auto moved = values;
  for (double& v : moved) v = 3 * v - 7;
  const auto near = [](double got, double want) { EXPECT_NEAR(got, want, 1e-9); };
  near(mean(moved), 3 * mean(values) - 7);
  near(median(moved), 3 * median(values) - 7);
  near(quantile(moved, 0.9), 3 * quantile(values, 0.9) - 7);
  near(*standard_deviation(moved), 3 * *standard_deviation(values));
  near(*median_absolute_deviation(moved), 3 * *median_absolute_deviation(values));
  near(trimmed_mean(moved, 0.2), 3 * trimmed_mean(values, 0.2) - 7);
  near(hodges_lehmann(moved), 3 * hodges_lehmann(values) - 7);
  near(harrell_davis(moved, 0.25), 3 * harrell_davis(values, 0.25) - 7);
  near(double_mad(moved)->upper, 3 * double_mad(values)->upper);
  near(t_interval(moved, 0.95)->low, 3 * t_interval(values, 0.95)->low - 7);
  near(skewness(moved, 3)->moment, skewness(values, 3)->moment);
  near(skewness(moved, 3)->p, skewness(values, 3)->p);
  near(effective_sample_size(moved), effective_sample_size(values));
  near(sign_flip(moved, 3 * 5.0 - 7, 3).p_two_sided, sign_flip(values, 5.0, 3).p_two_sided);
}

TEST_F(Property, ExchangingTheRolesMirrorsTheVerdict) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const double centre = 0.03 * (uniform() - 0.5);
    const auto values = draw(16, [&] { return centre + 0.005 * normal(); });
    auto mirrored = values;
    for (double& v : mirrored) v = -v;
    const LookRule rule{.theta = 0.005};
    const auto outcome = judge_look(values, rule, kUnknown);
    const auto mirror = judge_look(mirrored, rule, kUnknown);
    EXPECT_EQ(outcome.verdict == Verdict::slower, mirror.verdict == Verdict::faster);
    EXPECT_EQ(outcome.verdict == Verdict::equivalent, mirror.verdict == Verdict::equivalent);
    EXPECT_NEAR(outcome.p->slower, mirror.p->faster, 1e-12);
  }
}

TEST_F(Property, ALargerMarginNeverTurnsEquivalentIntoADifference) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto values = draw(16, [&] { return 0.004 + 0.005 * normal(); });
    bool was_equivalent = false;
    for (const double theta : {0.0, 0.002, 0.005, 0.01, 0.02, 0.05}) {
      const auto verdict = judge_look(values, {.theta = theta}, kUnknown).verdict;
      if (was_equivalent) {
        EXPECT_EQ(verdict, Verdict::equivalent);
      }
      was_equivalent = verdict == Verdict::equivalent;
    }
  }
}

TEST_F(Property, StudentIntervalCoversAsOftenAsItSays) {
  constexpr std::size_t kRuns = runs(4000);
  for (const std::size_t count : {2U, 8U, 32U}) {
    std::size_t covered = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto interval = t_interval(draw(count, [&] { return 1 + 0.01 * normal(); }), 0.95);
      covered += interval->low <= 1 && 1 <= interval->high ? 1U : 0U;
    }
    EXPECT_FALSE(exceeds(covered, kRuns, 0.95)) << covered << " of " << kRuns;
    EXPECT_FALSE(falls_short(covered, kRuns, 0.95)) << covered << " of " << kRuns;
  }
}

TEST_F(Property, QuantileIntervalCoversUnderAutocorrelation) {
  // Lognormal AR(1), φ = 0.5, n = 400: simulated coverage .93–.94 at a nominal .95.
  constexpr std::size_t kRuns = runs(1000);
  std::size_t covered = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    double state = normal();
    const auto series = draw(400, [&] {
      state = 0.5 * state + std::sqrt(0.75) * normal();
      return std::exp(0.5 * state);
    });
    const auto result = quantile_interval(series, 0.5, 0.95);
    ASSERT_TRUE(result.has_value());
    covered += result->interval.low <= 1 && 1 <= result->interval.high ? 1U : 0U;
  }
  EXPECT_FALSE(falls_short(covered, kRuns, 0.92)) << covered << " of " << kRuns;
  EXPECT_FALSE(exceeds(covered, kRuns, 0.96)) << covered << " of " << kRuns;
}

TEST_F(Property, SignFlipHoldsItsLevelUnderSymmetry) {
  constexpr std::size_t kRuns = runs(1500);
  for (const std::size_t count : {8U, 16U, 32U}) {
    std::size_t rejected = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto values = draw(count, [&] { return student3() * (0.1 + uniform()); });
      rejected += sign_flip(values, 0, random_.next()).p_two_sided <= 0.05 ? 1U : 0U;
    }
    EXPECT_FALSE(exceeds(rejected, kRuns, 0.05)) << rejected << " of " << kRuns;
    EXPECT_FALSE(falls_short(rejected, kRuns, 0.035)) << rejected << " of " << kRuns;
  }
}

TEST_F(Property, SkewnessHoldsItsLevelUnderSymmetryAndHeavyTails) {
  constexpr std::size_t kRuns = runs(800);
  for (const std::size_t count : kLooks) {
    std::size_t of_normal = 0;
    std::size_t of_t3 = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      of_normal += skewness(draw(count, [&] { return normal(); }), run)->p <= 0.01 ? 1U : 0U;
      of_t3 += skewness(draw(count, [&] { return student3(); }), run)->p <= 0.01 ? 1U : 0U;
    }
    EXPECT_FALSE(exceeds(of_normal, kRuns, 0.01)) << of_normal << " of " << kRuns;
    EXPECT_FALSE(exceeds(of_t3, kRuns, 0.01)) << of_t3 << " of " << kRuns;
  }
}

TEST_F(Property, SkewnessFindsSlowTrialsOfOneSubject) {
  constexpr std::size_t kRuns = runs(300);
  std::size_t found = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto values = draw(128, [&] { return normal() + (uniform() < 0.1 ? 6 : 0); });
    found += skewness(values, run)->p <= 0.01 ? 1U : 0U;
  }
  EXPECT_FALSE(falls_short(found, kRuns, 0.97)) << found << " of " << kRuns;
}

TEST_F(Property, AWrongVerdictIsRarerThanAlphaOverAllLooks) {
  constexpr std::size_t kRuns = runs(400);
  const double theta = std::log(1.01);
  struct World {
    const char* name;
    std::function<double()> difference;
    double theta;
    std::array<Verdict, 2> wrong;
  };
  const std::array<World, 4> worlds{{
      {"A against A, margin 0",
       [&] { return 0.01 * normal(); },
       0,
       {Verdict::faster, Verdict::slower}},
      {"A against A, margin 0, t3",
       [&] { return 0.006 * student3(); },
       0,
       {Verdict::faster, Verdict::slower}},
      {"on the margin",
       [&] { return theta + 0.01 * normal(); },
       theta,
       {Verdict::equivalent, Verdict::slower}},
      {"on the margin, t3",
       [&] { return -theta + 0.006 * student3(); },
       theta,
       {Verdict::equivalent, Verdict::faster}},
  }};
  for (const auto& world : worlds) {
    std::size_t wrong = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const Verdict verdict = experiment(world.difference, world.theta);
      wrong += std::count(world.wrong.begin(), world.wrong.end(), verdict) > 0 ? 1U : 0U;
    }
    EXPECT_FALSE(exceeds(wrong, kRuns, 0.05)) << world.name << ": " << wrong << " of " << kRuns;
  }
}

TEST_F(Property, TwoPercentIsFoundWhereTrialsScatterByOne) {
  constexpr std::size_t kRuns = runs(400);
  const double theta = std::log(1.01);
  std::size_t slower = 0;
  std::size_t equivalent = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto two_percent = [&] { return std::log(1.02) + 0.01 * normal(); };
    const auto nothing = [&] { return 0.01 * normal(); };
    slower += experiment(two_percent, theta) == Verdict::slower ? 1U : 0U;
    equivalent += experiment(nothing, theta) == Verdict::equivalent ? 1U : 0U;
  }
  EXPECT_FALSE(falls_short(slower, kRuns, 0.995)) << slower << " of " << kRuns;
  EXPECT_FALSE(falls_short(equivalent, kRuns, 0.99)) << equivalent << " of " << kRuns;
}

TEST_F(Property, QuantisedTimesDoNotLookExact) {
  // Times of 5 µs from a timer of 32 ns whose samples sit in phase with its steps: the true log
  // ratio must lie in the interval although all trials tie.
  constexpr std::size_t kRuns = runs(300);
  constexpr double step_s = 32e-9;
  std::size_t covered = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const double baseline_s = 5e-6 * (1 + 0.02 * uniform());
    const double candidate_s = 5e-6 * (1 + 0.02 * uniform());
    const auto read = [&](double true_s) {
      return step_s * std::floor(true_s / step_s + 0.5 + 0.02 * (uniform() - 0.5));
    };
    const auto values = draw(16, [&] { return std::log(read(candidate_s) / read(baseline_s)); });
    const Resolution resolution{step_s, 20, {baseline_s, 0.0}, {candidate_s, 0.0}};
    const auto outcome = judge_look(values, {.theta = 0.01}, resolution);
    const double truth = std::log(candidate_s / baseline_s);
    covered += outcome.interval->low <= truth && truth <= outcome.interval->high ? 1U : 0U;
  }
  EXPECT_FALSE(falls_short(covered, kRuns, 0.99)) << covered << " of " << kRuns;
}

TEST_F(Property, TrialsNeededGiveAVerdictInFourOfFive) {
  // Where the look's mean and spread are the true ones, so many trials must have the power that
  // they were planned for, neither much less nor much more.
  constexpr std::size_t kRuns = runs(1500);
  struct World {
    double mean;
    double theta;
    Verdict verdict;
  };
  for (const World& world :
       {World{0.004, 0, Verdict::slower}, World{-0.018, 0.01, Verdict::faster},
        World{0.003, 0.01, Verdict::equivalent}, World{0, 0.009, Verdict::equivalent}}) {
    // Eight values with exactly that mean and a standard deviation of 1 %.
    std::vector<double> pilot;
    for (int i = 0; i < 8; ++i) {
      pilot.push_back(world.mean + 0.01 * std::sqrt(7.0 / 8) * (i % 2 == 0 ? 1 : -1));
    }
    const LookRule rule{.theta = world.theta};
    const auto needed = judge_look(pilot, rule, kUnknown).trials_needed;
    ASSERT_TRUE(needed.has_value()) << world.mean;
    std::size_t decided = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto values =
          draw(static_cast<std::size_t>(*needed), [&] { return world.mean + 0.01 * normal(); });
      const auto interval = look_interval(values, rule.interval_alpha);
      decided += region_of(interval, world.theta) == world.verdict ? 1U : 0U;
    }
    EXPECT_FALSE(falls_short(decided, kRuns, 0.77))
        << world.mean << ": " << decided << " of " << kRuns << " with " << *needed;
    EXPECT_FALSE(exceeds(decided, kRuns, 0.87))
        << world.mean << ": " << decided << " of " << kRuns << " with " << *needed;
  }
}

TEST_F(Property, AHundredCasesKeepTheirRateOfWrongStatements) {
  // 80 on the margin and 20 beyond it, alone and with a drift that all share. The bounds are the
  // promised rates; docs/explanation/statistics.md has what was simulated at full size.
  constexpr std::size_t kRuns = runs(48);
  for (const double correlation : {0.0, 0.5}) {
    const auto rates = wrong_among_many(kRuns, correlation, [&] { return normal(); });
    // Standard errors of a mean of so many shares, four of them.
    const double slack = 4 * rates.false_share_sd / std::sqrt(static_cast<double>(kRuns));
    EXPECT_LE(rates.false_share - slack, 0.05) << "correlation " << correlation;
    EXPECT_FALSE(exceeds(rates.any_wrong, kRuns, 0.05)) << "correlation " << correlation;
    EXPECT_GT(rates.power, 0.3) << "correlation " << correlation;
    EXPECT_GT(rates.uncorrected, rates.any_wrong);
  }
}

TEST_F(Property, RanksCoverAsOftenAsTheySay) {
  constexpr std::size_t kRuns = runs(1000);
  for (const std::size_t count : {8U, 16U, 64U}) {
    std::size_t covered = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto interval = hodges_lehmann_interval(draw(count, [&] { return student3(); }), 0.95);
      covered += interval->low <= 0 && 0 <= interval->high ? 1U : 0U;
    }
    EXPECT_FALSE(falls_short(covered, kRuns, 0.95)) << covered << " of " << kRuns;
    EXPECT_FALSE(exceeds(covered, kRuns, 0.97)) << covered << " of " << kRuns;
  }
}

TEST_F(Property, BenjaminiHochbergKeepsTheOrderAndNeverLowersAP) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto p = draw(30, [&] { return std::pow(uniform(), 3); });
    const auto adjusted = benjamini_hochberg(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_GE(adjusted[i], p[i]);
      EXPECT_LE(adjusted[i], 1);
      for (std::size_t j = 0; j < p.size(); ++j) {
        if (p[i] < p[j]) {
          EXPECT_LE(adjusted[i], adjusted[j]);
        }
      }
    }
  }
}

// p of the dip test of values from an untied timer.
double dip_p(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return dip_p_value(dip(values), values.size());
}

TEST_F(Property, StepsOfATimerAreModesOnlyUntilTheyAreUndone) {
  constexpr std::size_t kRuns = runs(400);
  for (const double step : {0.25, 1.0}) {
    std::size_t as_read = 0;
    std::size_t moved = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto values = draw(1000, [&] { return step * std::round(normal() / step); });
      as_read += dip_p(values) < kModalityAlpha ? 1U : 0U;
      moved += dip_p(dequantised(values, step, random_.next())) < kModalityAlpha ? 1U : 0U;
    }
    EXPECT_FALSE(falls_short(as_read, kRuns, 0.99)) << as_read << " of " << kRuns;
    EXPECT_FALSE(exceeds(moved, kRuns, 0.01)) << moved << " of " << kRuns;
  }
}

TEST_F(Property, OneModeIsHardlyEverFlaggedAndTwoFarOnesMostly) {
  constexpr std::size_t kRuns = runs(400);
  std::size_t autocorrelated = 0;
  std::size_t uniforms = 0;
  std::size_t mixtures = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    double state = normal();
    autocorrelated +=
        dip_p(draw(1000, [&] { return state = 0.9 * state + std::sqrt(0.19) * normal(); })) <
                kModalityAlpha
            ? 1U
            : 0U;
    uniforms += dip_p(draw(300, [&] { return uniform(); })) < kModalityAlpha ? 1U : 0U;
    mixtures +=
        dip_p(draw(1000, [&] { return normal() + (uniform() < 0.3 ? 4 : 0); })) < kModalityAlpha
            ? 1U
            : 0U;
  }
  EXPECT_FALSE(exceeds(autocorrelated, kRuns, 0.001)) << autocorrelated << " of " << kRuns;
  EXPECT_FALSE(exceeds(uniforms, kRuns, 0.01)) << uniforms << " of " << kRuns;
  EXPECT_FALSE(falls_short(mixtures, kRuns, 0.82)) << mixtures << " of " << kRuns;
  EXPECT_FALSE(exceeds(mixtures, kRuns, 0.82)) << mixtures << " of " << kRuns;
}

TEST_F(Property, TrialsThatDifferAreNoModes) {
  constexpr std::size_t kRuns = runs(200);
  ModeFinder find_modes;
  for (const std::size_t samples : {1U, 4U, 20U}) {
    for (const std::size_t count : {8U, 32U}) {
      std::size_t flagged = 0;
      for (std::size_t run = 0; run < kRuns; ++run) {
        std::vector<std::vector<double>> trials(count);
        for (auto& trial : trials) {
          const double centre = 1000 + 3 * normal();
          trial = draw(samples, [&] { return centre + normal(); });
        }
        flagged += modality(std::vector<std::span<const double>>(trials.begin(), trials.end()),
                            0.01, random_.next(), find_modes)
                           ->several()
                       ? 1U
                       : 0U;
      }
      EXPECT_FALSE(exceeds(flagged, kRuns, 0.01))
          << flagged << " of " << kRuns << ", " << count << " trials of " << samples;
    }
  }
}

}  // namespace
}  // namespace assay::stats
