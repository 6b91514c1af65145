// SPDX-License-Identifier: MIT
#include "assay/stats/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/steady.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::stats {
namespace {

TEST(ChooseEstimand, TakesTheMeanWhereTheStepIsCoarse) {
  EXPECT_EQ(choose_estimand(0.0010, 0.01), Estimand::median);
  EXPECT_EQ(choose_estimand(0.0011, 0.01), Estimand::mean);
  EXPECT_EQ(choose_estimand(0.0005, 0.0), Estimand::median);
  EXPECT_EQ(choose_estimand(0.0006, 0.0), Estimand::mean);
}

TEST(PairedDifference, IsTheMedianOfLogRatiosWithinBlocks) {
  // Ratios 2, 1, 3: drift between the blocks does not enter.
  const std::vector<double> baseline{1, 10, 100};
  const std::vector<double> candidate{2, 10, 300};
  EXPECT_DOUBLE_EQ(paired_difference(Estimand::median, baseline, candidate), std::log(2.0));
  EXPECT_DOUBLE_EQ(paired_difference(Estimand::mean, baseline, candidate), std::log(312.0 / 111));
  EXPECT_DOUBLE_EQ(unpaired_difference(Estimand::median, baseline, candidate), 0);
}

TEST(PairedDifference, ChangesSignWhenTheRolesAreExchanged) {
  const std::vector<double> a{1.0, 1.1, 1.3};
  const std::vector<double> b{1.2, 1.0, 1.7};
  for (const Estimand estimand : {Estimand::median, Estimand::mean}) {
    EXPECT_DOUBLE_EQ(paired_difference(estimand, a, b), -paired_difference(estimand, b, a));
  }
}

TEST(PairedDifference, RefusesUnequalLengthsAndTimesOfZero) {
  const std::vector<double> two{1, 2};
  const std::vector<double> three{1, 2, 3};
  const std::vector<double> zero{0, 1};
  EXPECT_THROW(paired_difference(Estimand::median, two, three), Error);
  EXPECT_THROW(paired_difference(Estimand::median, two, zero), Error);
  EXPECT_THROW(unpaired_difference(Estimand::mean, zero, two), Error);
  EXPECT_NO_THROW(unpaired_difference(Estimand::mean, two, three));
}

TEST(Estimand, WordsReadBack) {
  EXPECT_EQ(estimand_from_string(to_string(Estimand::median)), Estimand::median);
  EXPECT_EQ(estimand_from_string(to_string(Estimand::mean)), Estimand::mean);
  EXPECT_FALSE(estimand_from_string("mode").has_value());
}

TEST(Verdict, WordsReadBack) {
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::equivalent,
                                Verdict::inconclusive, Verdict::invalid, Verdict::void_}) {
    EXPECT_EQ(verdict_from_string(to_string(verdict)), verdict);
  }
  EXPECT_EQ(to_string(Verdict::void_), "void");
  EXPECT_FALSE(verdict_from_string("Faster").has_value());
}

TEST(Steady, NeedsTwoWindows) {
  const std::vector<double> samples(6, 1.0);
  EXPECT_FALSE(is_steady(std::span(samples).first(5), 0.02));
  EXPECT_TRUE(is_steady(samples, 0.02));
}

TEST(Steady, WaitsForAFallToEnd) {
  const std::vector<double> falling{9, 7, 5, 4, 3, 2};
  EXPECT_FALSE(is_steady(falling, 0.02));
  std::vector<double> settled = falling;
  settled.insert(settled.end(), {1.01, 1.0, 1.0, 1.0, 1.0, 1.0});
  EXPECT_TRUE(is_steady(settled, 0.02));
}

TEST(Steady, IsNotHeldUpByOneInterruptedSample) {
  const std::vector<double> samples{1.0, 1.0, 1.0, 1.0, 50.0, 1.0};
  EXPECT_TRUE(is_steady(samples, 0.02));
}

TEST(Steady, IsNotHeldUpByScatterOrByARise) {
  const std::vector<double> scattered{100, 112, 95, 99, 108, 94};
  EXPECT_TRUE(is_steady(scattered, 0.02));
  const std::vector<double> rising{100, 100, 100, 110, 110, 110};
  EXPECT_TRUE(is_steady(rising, 0.02));
}

TEST(Steady, IncludesTheToleranceItself) {
  const std::vector<double> samples{4, 4, 4, 3, 3, 3};
  EXPECT_TRUE(is_steady(samples, 0.25));
  EXPECT_FALSE(is_steady(samples, 0.2499));
}

}  // namespace
}  // namespace assay::stats
