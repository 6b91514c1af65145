// SPDX-License-Identifier: MIT
#include "assay/stats/multiplicity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "oracle_values.hpp"

namespace assay::stats {
namespace {

TEST(BenjaminiHochberg, AgreesWithSciPy) {
  const auto adjusted = benjamini_hochberg(oracle::kPValues);
  ASSERT_EQ(adjusted.size(), oracle::kBenjaminiHochberg.size());
  for (std::size_t i = 0; i < adjusted.size(); ++i) {
    EXPECT_NEAR(adjusted[i], oracle::kBenjaminiHochberg[i], 1e-15);
  }
}

TEST(BenjaminiHochberg, OfOneOrNoneChangesNothing) {
  const std::vector<double> one{0.04};
  EXPECT_EQ(benjamini_hochberg(one), one);
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(BenjaminiHochberg, RefusesWhatIsNoProbability) {
  const std::vector<double> above{1.5};
  const std::vector<double> nan{std::nan("")};
  EXPECT_THROW(benjamini_hochberg(above), Error);
  EXPECT_THROW(benjamini_hochberg(nan), Error);
}

TEST(LevelPerLook, SharesAlphaOverLooksAndPrimaries) {
  EXPECT_DOUBLE_EQ(level_per_look(0.05, 5), 0.01);
  EXPECT_DOUBLE_EQ(level_per_look(0.05, 5, 4), 0.0025);
  EXPECT_THROW(level_per_look(0.05, 0), Error);
}

TEST(SelectedConfidenceLevel, FallsWithFewerSelected) {
  EXPECT_DOUBLE_EQ(selected_confidence_level(10, 10, 0.05), 0.95);
  EXPECT_DOUBLE_EQ(selected_confidence_level(1, 10, 0.05), 0.995);
  EXPECT_THROW(selected_confidence_level(0, 10, 0.05), Error);
}

TEST(RepeatedP, PaysForAllPlannedLooks) {
  const std::vector<double> two_of_five{0.2, 0.004};
  EXPECT_DOUBLE_EQ(repeated_p(two_of_five, 5), 0.02);
  const std::vector<double> large{0.5};
  EXPECT_EQ(repeated_p(large, 5), 1);
  EXPECT_THROW(repeated_p({}, 5), Error);
}

}  // namespace
}  // namespace assay::stats
