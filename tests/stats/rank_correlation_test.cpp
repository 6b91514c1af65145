// SPDX-License-Identifier: MIT
#include "assay/stats/rank_correlation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assay::stats {
namespace {

// scipy.stats.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]), the example of its documentation.
TEST(RankCorrelationOf, TwoSeriesWithATieIsThatOfSciPy) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const std::vector<double> y{5, 6, 7, 8, 7};
  const auto result = rank_correlation(x, y);
  EXPECT_NEAR(result->rho, 0.8207826816681233, 1e-12);
  EXPECT_NEAR(result->p_two_sided, 0.08858700531354381, 1e-9);
}

TEST(RankCorrelationOf, WhatRisesTogetherIsOneHoweverItRises) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const std::vector<double> y{1, 10, 11, 400, 401};
  EXPECT_EQ(rank_correlation(x, y)->rho, 1);
  EXPECT_EQ(rank_correlation(x, y)->p_two_sided, 0);
  const std::vector<double> falling{5, 4, 3, 2, -100};
  EXPECT_EQ(rank_correlation(x, falling)->rho, -1);
}

TEST(RankCorrelationOf, ValuesThatTieOrAreFewIsUnknown) {
  const std::vector<double> x{1, 2, 3, 4};
  const std::vector<double> same{7, 7, 7, 7};
  EXPECT_EQ(rank_correlation(x, same).missing().reason, "no-spread");
  const std::vector<double> few{1, 2, 3};
  EXPECT_EQ(rank_correlation(few, few).missing().reason, "insufficient");
}

}  // namespace
}  // namespace assay::stats
