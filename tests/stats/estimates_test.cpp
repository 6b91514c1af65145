// SPDX-License-Identifier: MIT
//
// What stands beside a verdict: ranks, variance components, scores, the suite's mean. Values by
// oracle_estimates.py.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/quantile_interval.hpp"
#include "assay/stats/rare_trials.hpp"
#include "assay/stats/robust.hpp"
#include "assay/stats/scores.hpp"
#include "assay/stats/signed_rank.hpp"
#include "assay/stats/suite.hpp"
#include "assay/stats/summary.hpp"
#include "assay/stats/variance_components.hpp"
#include "oracle_estimates.hpp"

namespace assay::stats {
namespace {

void expect_close(double got, double want) { EXPECT_NEAR(got, want, 1e-9 * std::abs(want)); }

void expect_close(const Interval& got, const std::array<double, 2>& want) {
  expect_close(got.low, want[0]);
  expect_close(got.high, want[1]);
}

const double kNan = std::nan("");

TEST(SignedRank, IsExactForFewValuesWithoutTies) {
  const std::array<double, 3> bounds{0, 0.01, 0.0117};
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto result = signed_rank(oracle::kRanked, bounds[i]);
    EXPECT_TRUE(result->exact);
    EXPECT_EQ(result->count, 12U);
    expect_close(result->p_two_sided, oracle::kWilcoxonExact[i]);
  }
}

TEST(SignedRank, ApproximatesWithTiesZerosAndManyValues) {
  // One value lies on 0 and three on 0.003; SciPy's default leaves them out too.
  EXPECT_EQ(signed_rank(oracle::kWithTies, 0)->count, 19U);
  EXPECT_FALSE(signed_rank(oracle::kWithTies, 0)->exact);
  expect_close(signed_rank(oracle::kWithTies, 0)->p_two_sided, oracle::kWilcoxonTies[0]);
  expect_close(signed_rank(oracle::kWithTies, 0.003)->p_two_sided, oracle::kWilcoxonTies[1]);
  EXPECT_FALSE(signed_rank(oracle::kMany, 0)->exact);
  expect_close(signed_rank(oracle::kMany, 0)->p_two_sided, oracle::kWilcoxonMany[0]);
  expect_close(signed_rank(oracle::kMany, 0.002)->p_two_sided, oracle::kWilcoxonMany[1]);
}

TEST(SignedRank, AnswersBadInputWithAReason) {
  const std::vector<double> equal(9, 0.02);
  EXPECT_EQ(signed_rank(equal, 0).missing().reason, "no-spread");
  EXPECT_EQ(signed_rank(equal, 0.02).missing().reason, "too-few-values");
  EXPECT_EQ(signed_rank({}, 0).missing().reason, "too-few-values");
  EXPECT_EQ(signed_rank(std::vector<double>{-3.0}, 0)->p_two_sided, 1);
  EXPECT_THROW(signed_rank(std::vector<double>{1, kNan}, 0), Error);
  std::vector<double> huge(1'000'000);
  std::iota(huge.begin(), huge.end(), -499'999.75);
  EXPECT_NEAR(signed_rank(huge, 0)->p_two_sided, 1, 1e-3);
}

TEST(HodgesLehmannInterval, TakesTheWalshAveragesThatTheTestKeeps) {
  expect_close(*hodges_lehmann_interval(oracle::kRanked, 0.95), oracle::kWalsh95);
  expect_close(*hodges_lehmann_interval(oracle::kRanked, 0.99), oracle::kWalsh99);
  expect_close(*hodges_lehmann_interval(oracle::kMany, 0.99), oracle::kWalshMany99);
}

TEST(HodgesLehmannInterval, OfAsFewValuesAsTheLevelAllowsIsTheirRange) {
  // 1 − 2/2⁸: eight trials at the default first look reach α/5 = 0.01.
  const std::vector<double> eight{1, 2, 3, 4, 5, 6, 7, 9};
  EXPECT_EQ(*hodges_lehmann_interval(eight, 0.99), (Interval{1, 9}));
  EXPECT_EQ(*hodges_lehmann_interval(eight, 1 - 2.0 / 256), (Interval{1, 9}));
  const auto refused = hodges_lehmann_interval(eight, 0.995);
  EXPECT_EQ(refused.missing().reason, "too-few-values");
  EXPECT_NE(refused.missing().detail.find("at least 9 values, has 8"), std::string::npos)
      << refused.missing().detail;
}

TEST(HodgesLehmannInterval, AnswersBadInputWithAReason) {
  EXPECT_EQ(hodges_lehmann_interval({}, 0.95).missing().reason, "too-few-values");
  EXPECT_EQ(hodges_lehmann_interval(std::vector<double>(12, 3.0), 0.95).missing().reason,
            "no-spread");
  const auto narrow = hodges_lehmann_interval(oracle::kRanked, 0.01);
  ASSERT_TRUE(narrow.has_value());
  EXPECT_LE(narrow->low, hodges_lehmann(oracle::kRanked));
  EXPECT_GE(narrow->high, hodges_lehmann(oracle::kRanked));
  EXPECT_THROW(hodges_lehmann_interval(oracle::kRanked, 1), Error);
}

std::vector<std::vector<double>> trials_of(std::span<const double> values, std::size_t each) {
  std::vector<std::vector<double>> trials;
  for (std::size_t i = 0; i < values.size(); i += each) {
    trials.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i),
                        values.begin() + static_cast<std::ptrdiff_t>(i + each));
  }
  return trials;
}

TEST(VarianceComponents, AgreeWithTheAnalysisOfVariance) {
  const auto components = variance_components(trials_of(oracle::kTrialsOfSix, 6));
  expect_close(components->within_trial, oracle::kComponents[0]);
  expect_close(components->between_trials, oracle::kComponents[1]);
  EXPECT_DOUBLE_EQ(components->samples, 6);
}

TEST(VarianceComponents, TrialsThatScatterLessThanTheirSamplesHaveNone) {
  const std::vector<std::vector<double>> trials{{1, 9}, {2, 8}, {3, 7}};
  EXPECT_EQ(variance_components(trials)->between_trials, 0);
  EXPECT_GT(variance_components(trials)->within_trial, 0);
}

TEST(VarianceComponents, AnswerTooLittleWithAReason) {
  EXPECT_EQ(variance_components({}).missing().reason, "too-few-trials");
  const std::vector<std::vector<double>> thin{{1, 2}, {3}};
  EXPECT_EQ(variance_components(thin).missing().reason, "too-few-samples");
  const std::vector<std::vector<double>> bad{{1, kNan}, {3, 4}};
  EXPECT_THROW(variance_components(bad), Error);
}

TEST(SamplesPerTrial, IsTheOptimumOfKaliberaAndJones) {
  VarianceComponents c{.within_trial = 4, .between_trials = 1, .samples = 20, .trials = 8};
  EXPECT_EQ(samples_per_trial(c, 100, 1, 3, 1000)->samples, 20U);  // √(100·4)
  EXPECT_EQ(samples_per_trial(c, 101, 1, 3, 1000)->samples, 21U);  // rounded up
  EXPECT_EQ(samples_per_trial(c, 0.01, 1, 3, 1000)->samples, 3U);
  EXPECT_FALSE(samples_per_trial(c, 0.01, 1, 3, 1000)->is_bounded);
  EXPECT_EQ(samples_per_trial(c, 1e9, 1, 3, 1000)->samples, 1000U);
  EXPECT_TRUE(samples_per_trial(c, 1e9, 1, 3, 1000)->is_bounded);
}

TEST(SamplesPerTrial, IsTheLeastTimeForAGivenStandardError) {
  const VarianceComponents c{.within_trial = 9, .between_trials = 0.7, .samples = 20, .trials = 8};
  constexpr double trial_cost = 37;
  constexpr double sample_cost = 1.5;
  // Trials for a standard error of 1, times what one costs.
  const auto cost = [&](double k) {
    return (c.between_trials + c.within_trial / k) * (trial_cost + sample_cost * k);
  };
  const auto best =
      static_cast<double>(samples_per_trial(c, trial_cost, sample_cost, 1, 1000)->samples);
  EXPECT_LT(cost(best), cost(best + 1));
  EXPECT_LT(cost(best - 1), cost(best - 2));
}

TEST(SamplesPerTrial, TakesAsManyAsFitWhereTrialsDoNotScatter) {
  VarianceComponents c{.within_trial = 4, .between_trials = 0, .samples = 20, .trials = 8};
  EXPECT_EQ(samples_per_trial(c, 1, 1, 3, 500)->samples, 500U);
  EXPECT_TRUE(samples_per_trial(c, 1, 1, 3, 500)->is_bounded);
  c.within_trial = 0;
  EXPECT_TRUE(samples_per_trial(c, 1, 1, 3, 500)->is_bounded);
}

TEST(SamplesPerTrial, SaysHowManyTrialsAnAdviceNeeds) {
  const VarianceComponents c{.within_trial = 4, .between_trials = 1, .samples = 20, .trials = 7};
  const auto advice = samples_per_trial(c, 1, 1, 3, 500);
  EXPECT_EQ(advice.missing().reason, "too-few-trials");
  EXPECT_NE(advice.missing().detail.find("from 8 trials on, there are 7"), std::string::npos);
  EXPECT_THROW(samples_per_trial(c, 0, 1, 3, 500), Error);
  EXPECT_THROW(samples_per_trial(c, 1, -1, 3, 500), Error);
}

TEST(IntervalScore, AgreesWithTheFormulaOnLogarithms) {
  const std::array<double, 3> observed{0.6, 0.5, 0.9};
  for (std::size_t i = 0; i < observed.size(); ++i) {
    expect_close(ratio_interval_score(0.55, 0.7, observed[i]), oracle::kIntervalScores[i]);
  }
  EXPECT_DOUBLE_EQ(interval_score(1, 3, 0, 0.8), 2 + 10);
}

TEST(IntervalScore, DoesNotChangeWhenTheRolesAreExchanged) {
  EXPECT_DOUBLE_EQ(ratio_interval_score(0.55, 0.7, 0.9),
                   ratio_interval_score(1 / 0.7, 1 / 0.55, 1 / 0.9));
}

TEST(IntervalScore, RefusesWhatIsNoRatioOrNoInterval) {
  EXPECT_THROW(ratio_interval_score(0, 1, 1), Error);
  EXPECT_THROW(ratio_interval_score(0.5, 1, -1), Error);
  EXPECT_THROW(ratio_interval_score(1, 0.5, 1), Error);
  EXPECT_THROW(interval_score(kNan, 1, 1, 0.8), Error);
}

TEST(RankedProbabilityScore, AgreesWithTheFormula) {
  const std::array<double, 3> stated{0.7, 0.2, 0.1};
  for (std::size_t i = 0; i < 3; ++i) {
    expect_close(ranked_probability_score(stated, i), oracle::kRankedScores[i]);
  }
  EXPECT_EQ(ranked_probability_score(std::array<double, 3>{1, 0, 0}, 0), 0);
  EXPECT_EQ(ranked_probability_score(std::array<double, 3>{1, 0, 0}, 1), 0.5);
  EXPECT_EQ(ranked_probability_score(std::array<double, 3>{1, 0, 0}, 2), 1);
  EXPECT_THROW(ranked_probability_score(std::array<double, 3>{0.5, 0.2, 0.1}, 0), Error);
  EXPECT_THROW(ranked_probability_score(stated, 3), Error);
}

TEST(CalibrationTable, CountsWhatCameTrueByWhatWasStated) {
  std::vector<StatedProbability> stated;
  for (int i = 0; i < 8; ++i) stated.push_back({0.6, i < 3});
  stated.push_back({1, true});
  stated.push_back({0, false});
  const auto table = calibration_table(stated, 5, 0.95);
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].low, 0);
  EXPECT_DOUBLE_EQ(table[1].low, 0.6);
  EXPECT_EQ(table[1].count, 8U);
  EXPECT_EQ(table[1].happened, 3U);
  EXPECT_DOUBLE_EQ(table[1].mean_stated, 0.6);
  expect_close(table[1].frequency, oracle::kBinInterval);
  EXPECT_EQ(table[2].high, 1);
  EXPECT_EQ(table[2].count, 1U);
  EXPECT_TRUE(calibration_table({}, 5, 0.95).empty());
  EXPECT_THROW(calibration_table(std::vector<StatedProbability>{{1.5, true}}, 5, 0.95), Error);
}

TEST(SuiteMean, KeepsTheCovarianceOfCellsThatShareATrial) {
  const std::vector<double> shared{0.01, 0.03, 0.02, 0.05};
  const std::vector<std::vector<double>> same{shared, shared, shared};
  // Three copies of a cell say no more than one.
  const auto one = suite_mean(std::vector<std::vector<double>>{shared}, 0.95);
  const auto three = suite_mean(same, 0.95);
  EXPECT_NEAR(three->interval.low, one->interval.low, 1e-15);
  EXPECT_EQ(three->cells, 3U);
  EXPECT_EQ(one->interval, *interval_with_room(shared, 0.95));
  // What differs between cells and not between trials does not widen it.
  const std::vector<std::vector<double>> opposed{{0.1, 0.2, 0.3}, {-0.1, -0.2, -0.31}};
  EXPECT_NEAR(suite_mean(opposed, 0.95)->log_ratio, -0.01 / 6, 1e-15);
}

TEST(IntervalWithRoom, IsStudentsWiderByWhatSlowTrialsMayAdd) {
  const std::vector<double> values{0.01, 0.03, 0.02, 0.05};
  const Interval bare = *t_interval(values, 0.99);
  const Interval wide = *interval_with_room(values, 0.99);
  const double room = kUnseenTrialSds * std::log(100.0) * *standard_deviation(values) / 4;
  EXPECT_NEAR(bare.low - wide.low, room, 1e-14);
  EXPECT_NEAR(wide.high - bare.high, room, 1e-14);
  EXPECT_EQ(interval_with_room({}, 0.99).missing().reason, t_interval({}, 0.99).missing().reason);
  // Values that tie have no spread from which an unseen one could be guessed: the floor stays.
  const Interval tied = *interval_with_room(std::vector<double>{1, 1, 1}, 0.99, 0.25);
  EXPECT_EQ(tied, (Interval{0.75, 1.25}));
}

TEST(SuiteMean, AnswersTooLittleWithAReason) {
  EXPECT_EQ(suite_mean(std::vector<std::vector<double>>{{0.1}, {0.2}}, 0.95).missing().reason,
            "too-few-trials");
  EXPECT_EQ(suite_mean(std::vector<std::vector<double>>{{}, {}}, 0.95).missing().reason,
            "too-few-trials");
  EXPECT_EQ(suite_mean(std::vector<std::vector<double>>{{1, 1}, {2, 2}}, 0.95).missing().reason,
            "no-spread");
  EXPECT_THROW(suite_mean(std::vector<std::vector<double>>{{1, 1}, {2}}, 0.95), Error);
  EXPECT_THROW(suite_mean({}, 0.95), Error);
}

TEST(BenjaminiHochberg, AgreesWithStatsmodels) {
  const auto adjusted = benjamini_hochberg(oracle::kManyPValues);
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < adjusted.size(); ++i) {
    expect_close(adjusted[i], oracle::kManyAdjusted[i]);
    EXPECT_EQ(adjusted[i] <= 0.05, oracle::kManyRejected[i] == 1);
    rejected += adjusted[i] <= 0.05 ? 1U : 0U;
  }
  EXPECT_GT(rejected, 0U);
  EXPECT_LT(rejected, adjusted.size());
  EXPECT_DOUBLE_EQ(selected_confidence_level(rejected, adjusted.size(), 0.05),
                   1 - static_cast<double>(rejected) * 0.05 / 30);
}

TEST(EffectiveSampleSize, OfALongTrendIsCheapAndSmall) {
  std::vector<double> trend(200'000);
  std::iota(trend.begin(), trend.end(), 1.0);
  EXPECT_LT(effective_sample_size(trend, 0.5), 10);
  EXPECT_EQ(quantile_interval(trend, 0.5, 0.95).missing().reason, "insufficient-effective-samples");
  EXPECT_EQ(effective_sample_size(std::vector<double>(70, 2.0), 0.5), 70);
  EXPECT_EQ(effective_sample_size(std::vector<double>{2.0}, 0.5), 1);
}

TEST(EffectiveSampleSize, OfAnIndicatorIsThatOfItsZerosAndOnes) {
  for (const std::size_t count : {2U, 63U, 64U, 65U, 128U, 191U}) {
    std::vector<double> series(count);
    for (std::size_t t = 0; t < count; ++t) {
      series[t] = std::sin(0.3 * static_cast<double>(t)) + std::cos(static_cast<double>(t * t));
    }
    const double threshold = quantile(series, 0.3);
    std::vector<double> at_or_below(count);
    for (std::size_t t = 0; t < count; ++t) at_or_below[t] = series[t] <= threshold ? 1 : 0;
    EXPECT_NEAR(effective_sample_size(series, 0.3), effective_sample_size(at_or_below), 1e-9)
        << count;
  }
}

TEST(Summary, GivesADefinedAnswerToTimesThatNoClockGives) {
  const std::vector<double> zeros(30, 0.0);
  EXPECT_EQ(*summarise(zeros).standard_deviation, 0);
  EXPECT_EQ(*summarise(zeros).median, 0);
  EXPECT_THROW(geometric_mean(zeros), Error);
  const std::vector<double> negative{-1, -2, -3};
  EXPECT_EQ(*summarise(negative).min, -3);
  EXPECT_THROW(geometric_mean(negative), Error);
  EXPECT_THROW(summarise(std::vector<double>{1, kNan}), Error);
  EXPECT_EQ(summarise(std::vector<double>{7}).standard_deviation.missing().reason,
            "too-few-values");
  EXPECT_EQ(harrell_davis(std::vector<double>{7}, 0.5), 7);
  EXPECT_EQ(double_mad(zeros)->upper, 0);
}

}  // namespace
}  // namespace assay::stats
