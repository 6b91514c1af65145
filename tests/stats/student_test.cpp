// SPDX-License-Identifier: MIT
#include "assay/stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oracle_values.hpp"

namespace assay::stats {
namespace {

TEST(StudentQuantile, AgreesWithSciPy) {
  EXPECT_NEAR(t_quantile(0.975, 7), oracle::kTQuantiles[0], 1e-12);
  EXPECT_NEAR(t_quantile(0.995, 15), oracle::kTQuantiles[1], 1e-12);
  EXPECT_NEAR(t_quantile(0.9999, 127), oracle::kTQuantiles[2], 1e-12);
  EXPECT_NEAR(t_quantile(0.2, 1), oracle::kTQuantiles[3], 1e-12);
}

// Answers are kept; more questions than places for them, and in another order, get the same.
TEST(StudentQuantile, DoesNotDependOnWhatWasAskedBefore) {
  std::vector<double> answers;
  for (int i = 0; i < 1200; ++i) {
    answers.push_back(t_quantile(0.001 * (1 + i % 40), 1 + i / 40));
    EXPECT_NEAR(t_cdf(answers.back(), 1 + i / 40), 0.001 * (1 + i % 40), 1e-12);
  }
  for (int i = 1200; i-- > 0;) {
    EXPECT_EQ(t_quantile(0.001 * (1 + i % 40), 1 + i / 40), answers[static_cast<std::size_t>(i)]);
  }
}

TEST(StudentQuantile, RefusesTheEnds) {
  EXPECT_THROW(t_quantile(0, 7), Error);
  EXPECT_THROW(t_quantile(1, 7), Error);
  EXPECT_THROW(t_quantile(0.5, 0), Error);
}

TEST(StudentInterval, AgreesWithSciPy) {
  const auto at_95 = t_interval(oracle::kSlower, 0.95);
  EXPECT_NEAR(at_95->low, oracle::kTInterval95[0], 1e-14);
  EXPECT_NEAR(at_95->high, oracle::kTInterval95[1], 1e-14);
  const auto at_99 = t_interval(oracle::kSlower, 0.99);
  EXPECT_NEAR(at_99->low, oracle::kTInterval99[0], 1e-14);
  EXPECT_NEAR(at_99->high, oracle::kTInterval99[1], 1e-14);
}

TEST(StudentInterval, IsNeverNarrowerThanTheFloor) {
  const auto interval = t_interval(oracle::kSlower, 0.95, 0.05);
  EXPECT_NEAR(interval->high - interval->low, 0.1, 1e-15);
}

TEST(StudentInterval, OfTiesIsUnknownWithoutAFloor) {
  const std::vector<double> ties(8, 0.02);
  const auto interval = t_interval(ties, 0.95);
  ASSERT_FALSE(interval.has_value());
  EXPECT_EQ(interval.missing().reason, "no-spread");
}

TEST(StudentInterval, OfTiesUpToRoundingIsUnknownToo) {
  const std::vector<double> values{0.1 + 0.2, 0.3, 0.3};
  EXPECT_EQ(t_interval(values, 0.95).missing().reason, "no-spread");
}

TEST(StudentInterval, OfTiesIsTheFloorWhereOneIsKnown) {
  const std::vector<double> ties(8, 0.25);
  EXPECT_EQ(*t_interval(ties, 0.95, 0.125), (Interval{0.125, 0.375}));
}

TEST(StudentInterval, IsUnknownBelowTwoValues) {
  const std::vector<double> one{1.0};
  EXPECT_EQ(t_interval(one, 0.95).missing().reason, "too-few-values");
  EXPECT_EQ(t_interval({}, 0.95, 1.0).missing().reason, "too-few-values");
}

TEST(StudentInterval, RefusesWhatIsNotANumber) {
  const std::vector<double> values{1.0, std::nan("")};
  EXPECT_THROW(t_interval(values, 0.95), Error);
  EXPECT_THROW(t_interval(oracle::kSlower, 1.0), Error);
  EXPECT_THROW(t_interval(oracle::kSlower, 0.95, -1.0), Error);
}

TEST(StudentP, AgreesWithSciPy) {
  EXPECT_NEAR(*t_p_above(oracle::kSlower, 0.01), oracle::kPAboveOnePercent, 1e-15);
  EXPECT_NEAR(*t_p_below(oracle::kSlower, 0.03), oracle::kPBelowThreePercent, 1e-15);
}

TEST(StudentP, OfTheTwoSidesAddsUpToOne) {
  EXPECT_NEAR(*t_p_above(oracle::kSlower, 0.02) + *t_p_below(oracle::kSlower, 0.02), 1, 1e-15);
}

TEST(StudentP, OfTiesIsUnknown) {
  const std::vector<double> ties(8, 0.02);
  EXPECT_EQ(t_p_above(ties, 0.01).missing().reason, "no-spread");
}

}  // namespace
}  // namespace assay::stats
