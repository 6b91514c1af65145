// SPDX-License-Identifier: MIT
#include "assay/stats/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

// Few values are compared, many are sorted by digits: of both signs, all magnitudes, and with ties.
TEST(Sorting, IsThatOfTheStandardLibrary) {
  Random random(20261130);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {0U, 1U, 2U, 255U, 256U, 257U, 5000U, 20000U}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      const double size = std::exp(1400 * (random.next_uniform() - 0.5));
      values.push_back(random.next_below(2) == 0 ? size : -size);
      if (random.next_below(4) == 0) values.back() = std::round(10 * random.next_uniform());
      if (random.next_below(50) == 0) values.back() = random.next_below(2) == 0 ? 5e-324 : -5e-324;
      if (random.next_below(50) == 0) values.back() = random.next_below(2) == 0 ? -0.0 : kInfinite;
    }
    std::vector<double> expected = values;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(detail::sorted(values), expected) << count;
  }
  EXPECT_EQ(detail::sorted(std::vector<double>(1000, 2.5)), std::vector<double>(1000, 2.5));
}

TEST(Summary, AgreesWithNumPyAndSciPy) {
  const Summary s = summarise(oracle::kTimes);
  EXPECT_EQ(s.count, oracle::kTimes.size());
  EXPECT_DOUBLE_EQ(*s.mean, oracle::kMean);
  EXPECT_DOUBLE_EQ(*s.median, oracle::kMedian);
  EXPECT_NEAR(*s.standard_deviation, oracle::kStandardDeviation, 1e-10);
  EXPECT_NEAR(*s.mad, oracle::kMad, 1e-10);
  EXPECT_NEAR(*s.trimmed_mean, oracle::kTrimmedMean, 1e-10);
  EXPECT_DOUBLE_EQ(*s.min, oracle::kQuantiles.front());
  EXPECT_DOUBLE_EQ(*s.max, oracle::kQuantiles.back());
  EXPECT_DOUBLE_EQ(*s.p5, oracle::kQuantiles[1]);
  EXPECT_DOUBLE_EQ(*s.p95, oracle::kQuantiles[6]);
}

TEST(Summary, OfNothingIsMissingEverywhere) {
  const Summary s = summarise({});
  EXPECT_EQ(s.count, 0U);
  for (const auto& field : {s.mean, s.median, s.standard_deviation, s.mad, s.trimmed_mean, s.min,
                            s.max, s.p5, s.p95, s.p99}) {
    ASSERT_FALSE(field.has_value());
    EXPECT_EQ(field.missing().reason, "too-few-values");
  }
}

TEST(Summary, OfOneValueHasACentreAndNoSpread) {
  const std::vector<double> one{3.5};
  const Summary s = summarise(one);
  EXPECT_EQ(*s.mean, 3.5);
  EXPECT_EQ(*s.median, 3.5);
  EXPECT_FALSE(s.standard_deviation.has_value());
  EXPECT_FALSE(s.mad.has_value());
}

TEST(Summary, TailQuantilesNeedValuesBehindThem) {
  const std::vector<double> values(99, 1.0);
  EXPECT_FALSE(summarise(std::span(values).first(19)).p95.has_value());
  EXPECT_TRUE(summarise(std::span(values).first(20)).p95.has_value());
  EXPECT_TRUE(summarise(std::span(values).first(20)).p5.has_value());
  EXPECT_FALSE(summarise(values).p99.has_value());
  const std::vector<double> hundred(100, 1.0);
  EXPECT_TRUE(summarise(hundred).p99.has_value());
}

TEST(Summary, RefusesWhatIsNotANumber) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::vector<double> values{1.0, bad, 2.0};
    EXPECT_THROW(summarise(values), Error);
    EXPECT_THROW(mean(values), Error);
    EXPECT_THROW(quantile(values, 0.5), Error);
    EXPECT_THROW(standard_deviation(values), Error);
    EXPECT_THROW(median_absolute_deviation(values), Error);
    EXPECT_THROW(trimmed_mean(values, 0.1), Error);
  }
}

TEST(Mean, OfNothingIsACallersBug) { EXPECT_THROW(mean({}), Error); }

TEST(Mean, SurvivesCancellation) {
  const std::vector<double> values{1e16, 1.0, -1e16, 1.0};
  EXPECT_EQ(mean(values), 0.5);
}

TEST(Quantile, AgreesWithNumPy) {
  for (std::size_t i = 0; i < oracle::kProbabilities.size(); ++i) {
    EXPECT_NEAR(quantile(oracle::kTimes, oracle::kProbabilities[i]), oracle::kQuantiles[i], 1e-10);
  }
}

TEST(Quantile, BetweenTiesIsTheTie) {
  const std::vector<double> values{0.1, 0.1, 0.1, 0.3};
  EXPECT_EQ(quantile(values, 0.4), 0.1);
}

TEST(Quantile, RefusesAProbabilityAboveOne) {
  EXPECT_THROW(quantile(oracle::kTimes, 1.01), Error);
  EXPECT_THROW(quantile(oracle::kTimes, -0.01), Error);
}

TEST(StandardDeviation, IsUnknownBelowTwoValues) {
  const std::vector<double> one{1.0};
  EXPECT_FALSE(standard_deviation({}).has_value());
  EXPECT_FALSE(standard_deviation(one).has_value());
}

TEST(StandardDeviation, KeepsItsDigitsFarFromZero) {
  const std::vector<double> values{1e9, 1e9 + 1, 1e9 + 2};
  EXPECT_DOUBLE_EQ(*standard_deviation(values), 1.0);
}

TEST(StandardDeviation, OfTiesIsExactlyZero) {
  const std::vector<double> values(7, 0.1);
  EXPECT_EQ(*standard_deviation(values), 0.0);
}

TEST(TrimmedMean, CutsWholeValuesFromBothEnds) {
  const std::vector<double> values{100, 1, 2, 3, -50};
  EXPECT_DOUBLE_EQ(trimmed_mean(values, 0.2), 2.0);
  EXPECT_DOUBLE_EQ(trimmed_mean(values, 0.19), mean(values));
  EXPECT_THROW(trimmed_mean(values, 0.5), Error);
}

TEST(GeometricMean, AgreesWithSciPy) {
  EXPECT_NEAR(geometric_mean(oracle::kTimes), oracle::kGeometricMean, 1e-9);
}

TEST(GeometricMean, OfARatioAndItsInverseIsOne) {
  const std::vector<double> ratios{1.25, 0.8};
  EXPECT_DOUBLE_EQ(geometric_mean(ratios), 1.0);
}

TEST(GeometricMean, RefusesZero) {
  const std::vector<double> values{1.0, 0.0};
  EXPECT_THROW(geometric_mean(values), Error);
}

TEST(PooledStandardDeviation, IgnoresDifferencesBetweenGroups) {
  const std::vector<std::vector<double>> groups{{0, 2}, {100, 102}, {7}};
  EXPECT_DOUBLE_EQ(*pooled_standard_deviation(groups), std::sqrt(2.0));
}

TEST(PooledStandardDeviation, IsUnknownWhenNoGroupHasTwoValues) {
  const std::vector<std::vector<double>> groups{{1}, {}, {2}};
  EXPECT_FALSE(pooled_standard_deviation(groups).has_value());
}

}  // namespace
}  // namespace assay::stats
