// SPDX-License-Identifier: MIT
#include "assay/stats/sign_flip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

TEST(SignFlip, AgreesWithSciPy) {
  const auto slower = sign_flip(oracle::kSlower, 0.016, 1);
  EXPECT_DOUBLE_EQ(slower.p_two_sided, oracle::kSignFlipSlower);
  EXPECT_TRUE(slower.exact);
  EXPECT_TRUE(slower.above_bound);
  const auto near_zero = sign_flip(oracle::kNearZero, -0.001, 1);
  EXPECT_DOUBLE_EQ(near_zero.p_two_sided, oracle::kSignFlipNearZero);
}

TEST(SignFlip, SaysOnWhichSideTheMeanLies) {
  EXPECT_TRUE(sign_flip(oracle::kSlower, 0.0, 1).above_bound);
  EXPECT_FALSE(sign_flip(oracle::kSlower, 0.05, 1).above_bound);
}

TEST(SignFlip, ReachesItsSmallestPWhenAllAgree) {
  for (const std::size_t count : {1U, 2U, 8U, 16U}) {
    const std::vector<double> values(count, 0.02);
    EXPECT_DOUBLE_EQ(sign_flip(values, 0.01, 1).p_two_sided, smallest_sign_flip_p(count));
  }
  const std::vector<double> many(64, 0.02);
  EXPECT_DOUBLE_EQ(sign_flip(many, 0.01, 1).p_two_sided, 1e-4);
  EXPECT_DOUBLE_EQ(smallest_sign_flip_p(64), 1e-4);
}

TEST(SignFlip, CountsTiesAsAtLeastAsLarge) {
  const std::vector<double> values{0.1, 0.2, -0.3};  // the sum is zero up to rounding
  EXPECT_EQ(sign_flip(values, 0.0, 1).p_two_sided, 1);
}

TEST(SignFlip, CountsPatternsThatOnlyRoundingSetsApart) {
  // In tenths 2, 2, −2, 4, 9 and −1: 8 of 32 patterns reach 14; in doubles as they stand, 5.
  const std::vector<double> values{0.2, 0.2, -0.2, 0.4, 0.9, -0.1};
  EXPECT_EQ(sign_flip(values, 0.0, 1).p_two_sided, 0.25);
}

TEST(SignFlip, OfValuesOnTheBoundIsOne) {
  for (const std::size_t count : {8U, 32U}) {
    const std::vector<double> values(count, 0.01);
    EXPECT_EQ(sign_flip(values, 0.01, 1).p_two_sided, 1);
  }
}

TEST(SignFlip, DoesNotDependOnTheOrderOfTheTrials) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(0.003 * std::sin(i * 1.7) + 0.0007);
  const auto before = sign_flip(values, 0.0, 7);
  std::reverse(values.begin(), values.end());
  std::swap(values[3], values[30]);
  EXPECT_EQ(sign_flip(values, 0.0, 7).p_two_sided, before.p_two_sided);
  EXPECT_FALSE(before.exact);
}

TEST(SignFlip, OfManyValuesFollowsTheNormalApproximation) {
  // 100 values of ±1, 60 of them +1: |Σ| = 20 is 2 SD; P(|Binomial − 50| ≥ 10) = 0.05689.
  std::vector<double> values(100, 1.0);
  std::fill(values.begin(), values.begin() + 40, -1.0);
  EXPECT_NEAR(sign_flip(values, 0.0, 3).p_two_sided, 0.05689, 0.01);
}

TEST(SignFlip, RefusesNothingAndNaN) {
  const std::vector<double> values{1.0, std::nan("")};
  EXPECT_THROW(sign_flip({}, 0.0, 1), Error);
  EXPECT_THROW(sign_flip(values, 0.0, 1), Error);
}

}  // namespace
}  // namespace assay::stats
