// SPDX-License-Identifier: MIT
#include "assay/problem/tolerance.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

TEST(Tolerance, SaysItsBounds) {
  EXPECT_EQ(Tolerance::exact().text(), "exact");
  EXPECT_EQ(Tolerance::relative(1e-5).text(), "relative 1e-05");
  EXPECT_EQ(Tolerance::relative(1e-5).scaled_by_sum_of_magnitudes().or_absolute(1e-8).text(),
            "relative 1e-05 of the sum of magnitudes, or absolute 1e-08");
  EXPECT_EQ(Tolerance::ulp(2).or_absolute(0.5).text(), "absolute 0.5, or 2 ulp");
  EXPECT_EQ(Tolerance::absolute(3).or_relative(0.25).or_ulp(1).relative_bound(), 0.25);
}

TEST(Tolerance, RefusesBoundsThatMeanNothing) {
  EXPECT_THROW(Tolerance::relative(-1), Error);
  EXPECT_THROW(Tolerance::absolute(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(Tolerance::ulp(std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(Tolerance::absolute(1).scaled_by_sum_of_magnitudes(), Error);
}

}  // namespace
}  // namespace assay
