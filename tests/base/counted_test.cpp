// SPDX-License-Identifier: MIT
#include "assay/base/counted.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay {
namespace {

TEST(Counted, SaysOneInTheSingular) {
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(std::size_t{1}, "more cell"), "1 more cell");
}

TEST(Counted, SaysAllOtherCountsInThePlural) {
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(counted(std::int64_t{8}, "trial"), "8 trials");
}

}  // namespace
}  // namespace assay
