// SPDX-License-Identifier: MIT
#include "assay/stats/skewness.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "assay/base/error.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

TEST(Skewness, AgreesWithSciPy) {
  const auto ten = std::span(oracle::kLopsided).first(10);
  EXPECT_NEAR(skewness(oracle::kLopsided, 1)->moment, oracle::kSkewLopsided, 1e-12);
  EXPECT_NEAR(skewness(ten, 1)->moment, oracle::kSkewLopsidedFirstTen, 1e-12);
  EXPECT_DOUBLE_EQ(skewness(ten, 1)->p, oracle::kSkewPLopsidedFirstTen);
  EXPECT_DOUBLE_EQ(skewness(oracle::kSlower, 1)->p, oracle::kSkewPSlower);
}

TEST(Skewness, OfSymmetricValuesIsNone) {
  const std::vector<double> values{-3, -1, -1, 0, 1, 1, 3};
  const auto result = skewness(values, 1);
  EXPECT_NEAR(result->moment, 0, 1e-12);
  EXPECT_EQ(result->p, 1);
}

TEST(Skewness, ChangesSignWithTheValues) {
  std::vector<double> mirrored(oracle::kLopsided.begin(), oracle::kLopsided.end());
  for (double& v : mirrored) v = -v;
  const auto before = skewness(oracle::kLopsided, 1);
  const auto after = skewness(mirrored, 1);
  EXPECT_NEAR(after->moment, -before->moment, 1e-12);
  EXPECT_DOUBLE_EQ(after->p, before->p);
}

TEST(Skewness, FindsSlowTrialsOnOneSide) {
  std::vector<double> values;
  for (int i = 0; i < 64; ++i) values.push_back(std::sin(i * 2.3) + (i % 10 == 3 ? 8 : 0));
  const auto result = skewness(values, 1);
  EXPECT_GT(result->moment, 1);
  EXPECT_LE(result->p, 0.01);
}

// Enumerated and drawn; lopsided and not.
TEST(Skewness, EndsWhenPIsSureToBeAboveWhatIsAskedFor) {
  std::size_t ended = 0;
  for (const int count : {12, 16, 17, 64}) {
    for (int k = 0; k < 20; ++k) {
      std::vector<double> values;
      for (int i = 0; i < count; ++i) {
        values.push_back(std::sin(i * 2.3 + k) + (i % 10 == 3 ? 0.5 * k : 0));
      }
      const auto all = skewness(values, 7);
      const auto some = skewness(values, 7, 0.01);
      EXPECT_EQ(some->moment, all->moment);
      if (all->p <= 0.01) {
        EXPECT_EQ(some->p, all->p);
      } else {
        EXPECT_GT(some->p, 0.01);
        EXPECT_LE(some->p, all->p);
        ended += some->p < all->p ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(ended, 20U);
}

TEST(Skewness, CountsPatternsWithoutSpreadAgainstItself) {
  // Two values at equal distances from the centre: one pattern of signs makes all five tie.
  const std::vector<double> values{0, 0, 1, 1, 1};
  EXPECT_EQ(skewness(values, 1)->p, 1);
}

TEST(Skewness, OfTwoValuesOrOfTiesIsUnknown) {
  const std::vector<double> two{1, 2};
  const std::vector<double> ties(9, 0.5);
  EXPECT_EQ(skewness(two, 1).missing().reason, "too-few-values");
  EXPECT_EQ(skewness(ties, 1).missing().reason, "no-spread");
}

TEST(Skewness, RefusesNaN) {
  const std::vector<double> values{1, 2, std::nan("")};
  EXPECT_THROW(skewness(values, 1), Error);
}

}  // namespace
}  // namespace assay::stats
