// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/clopper_pearson.hpp"
#include "assay/stats/quantile_interval.hpp"
#include "assay/stats/robust.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

TEST(HodgesLehmann, AgreesWithAllPairs) {
  EXPECT_NEAR(hodges_lehmann(oracle::kTimes), oracle::kHodgesLehmann, 1e-10);
}

TEST(HodgesLehmann, OfOneValueIsTheValue) {
  const std::vector<double> one{4.0};
  EXPECT_EQ(hodges_lehmann(one), 4.0);
  EXPECT_THROW(hodges_lehmann({}), Error);
}

TEST(DoubleMad, SeesTheTwoSidesApart) {
  const auto mad = double_mad(oracle::kTimes);
  EXPECT_NEAR(mad->lower, oracle::kDoubleMad[0], 1e-10);
  EXPECT_NEAR(mad->upper, oracle::kDoubleMad[1], 1e-10);
  const std::vector<double> one{1.0};
  EXPECT_FALSE(double_mad(one).has_value());
}

TEST(HarrellDavis, AgreesWithSciPy) {
  EXPECT_NEAR(harrell_davis(oracle::kTimes, 0.1), oracle::kHarrellDavis[0], 1e-8);
  EXPECT_NEAR(harrell_davis(oracle::kTimes, 0.5), oracle::kHarrellDavis[1], 1e-8);
  EXPECT_NEAR(harrell_davis(oracle::kTimes, 0.95), oracle::kHarrellDavis[2], 1e-8);
}

TEST(ClopperPearson, AgreesWithSciPy) {
  const auto expect = [](const Interval& got, const std::array<double, 2>& want) {
    EXPECT_NEAR(got.low, want[0], 1e-12);
    EXPECT_NEAR(got.high, want[1], 1e-12);
  };
  expect(clopper_pearson(0, 20, 0.95), oracle::kClopperPearsonNone);
  expect(clopper_pearson(7, 20, 0.95), oracle::kClopperPearsonSome);
  expect(clopper_pearson(20, 20, 0.95), oracle::kClopperPearsonAll);
  EXPECT_THROW(clopper_pearson(21, 20, 0.95), Error);
  EXPECT_THROW(clopper_pearson(0, 0, 0.95), Error);
}

TEST(Autocorrelation, AgreesWithNumPy) {
  const auto result = autocorrelation(oracle::kSeries, oracle::kAutocorrelation.size() - 1);
  ASSERT_TRUE(result.has_value());
  for (std::size_t lag = 0; lag < oracle::kAutocorrelation.size(); ++lag) {
    EXPECT_NEAR((*result)[lag], oracle::kAutocorrelation[lag], 1e-12);
  }
}

TEST(Autocorrelation, OfTiesIsUnknown) {
  const std::vector<double> ties(9, 0.1);
  EXPECT_EQ(autocorrelation(ties, 2).missing().reason, "no-spread");
  EXPECT_THROW(autocorrelation(ties, 9), Error);
}

TEST(EffectiveSampleSize, AgreesWithNumPy) {
  EXPECT_NEAR(effective_sample_size(oracle::kSeries), oracle::kEffectiveSampleSize, 1e-9);
}

// The sums of pairs of lags are 1.05, 0.029, 0.171, after that negative; Geyer lets them only fall,
// so the third counts 0.029 (13.3 samples if it did not).
TEST(EffectiveSampleSize, LetsTheSumsOfPairsOnlyFall) {
  const std::vector<double> series{3, 4, 3, 3, 3, 0, 2, 0, 4, 1, 1, 0, 2, 2, 2, 4, 0, 3, 4, 5};
  EXPECT_NEAR(effective_sample_size(series), 16.43543223052296, 1e-9);
}

TEST(EffectiveSampleSize, NeverExceedsTheNumberOfSamples) {
  std::vector<double> alternating(100);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2 == 0 ? 1 : -1;
  EXPECT_EQ(effective_sample_size(alternating), 100);
  const std::vector<double> ties(50, 2.0);
  EXPECT_EQ(effective_sample_size(ties), 50);
}

TEST(QuantileInterval, AgreesWithNumPyAndSciPy) {
  const auto expect = [](const Reading<QuantileInterval>& got, const std::array<double, 4>& want) {
    ASSERT_TRUE(got.has_value());
    EXPECT_NEAR(got->estimate, want[0], 1e-12);
    EXPECT_EQ(got->interval.low, want[1]);
    EXPECT_EQ(got->interval.high, want[2]);
    EXPECT_NEAR(got->effective_samples, want[3], 1e-9);
  };
  expect(quantile_interval(oracle::kSeries, 0.5, 0.95), oracle::kQuantileIntervalMedian);
  expect(quantile_interval(oracle::kSeries, 0.7, 0.99), oracle::kQuantileInterval70);
}

TEST(QuantileInterval, IsRefusedWhereTooLittleLiesBehindIt) {
  const auto refused = quantile_interval(oracle::kSeries, 0.95, 0.95);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.missing().reason, "insufficient-effective-samples");
  std::vector<double> ramp(400);
  std::iota(ramp.begin(), ramp.end(), 1.0);  // independent values would do; a ramp is one move
  EXPECT_FALSE(quantile_interval(ramp, 0.5, 0.95).has_value());
  EXPECT_FALSE(quantile_interval({}, 0.5, 0.95).has_value());
}

TEST(QuantileInterval, OfTiesIsTheTie) {
  const std::vector<double> ties(100, 32.0);
  EXPECT_EQ(quantile_interval(ties, 0.5, 0.95)->interval, (Interval{32.0, 32.0}));
}

TEST(QuantileInterval, FollowsAMonotoneTransformation) {
  std::vector<double> logs(oracle::kSeries.begin(), oracle::kSeries.end());
  for (double& v : logs) v = std::log(v);
  const auto plain = quantile_interval(oracle::kSeries, 0.5, 0.95);
  const auto transformed = quantile_interval(logs, 0.5, 0.95);
  EXPECT_DOUBLE_EQ(transformed->interval.low, std::log(plain->interval.low));
  EXPECT_DOUBLE_EQ(transformed->interval.high, std::log(plain->interval.high));
}

}  // namespace
}  // namespace assay::stats
