// SPDX-License-Identifier: MIT
#include "assay/base/rotation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"

namespace {

using namespace assay;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t mib = std::int64_t{1} << 20;

TEST(Rotation, LetsThreeCachesOfOthersPassBetweenTwoUses) {
  for (const std::int64_t footprint : {mib, 3 * mib, 7 * mib, 31 * mib, 96 * mib}) {
    const auto rotation = rotation_for(footprint, 32 * mib);
    ASSERT_TRUE(rotation) << footprint;
    EXPECT_GE((rotation->copies - 1) * footprint, 96 * mib);
    EXPECT_LT((rotation->copies - 2) * footprint, 96 * mib) << "and no more than that";
    EXPECT_EQ(rotation->bytes, rotation->copies * footprint);
  }
}

TEST(Rotation, HasTwoCopiesOfWhatNoCacheHolds) {
  EXPECT_EQ(rotation_for(1000 * mib, 32 * mib)->copies, 2);
}

TEST(Rotation, IsRefusedWhereItWouldTakeTooManyCopies) {
  EXPECT_EQ(rotation_for(3000, std::int64_t{127000})->copies, 128);
  const auto refused = rotation_for(4096, 32 * mib);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.missing().reason, "too-small");
  EXPECT_THAT(refused.missing().detail,
              AllOf(HasSubstr("of 4096 bytes"), HasSubstr("24577 copies"),
                    HasSubstr("33554432 bytes"), HasSubstr("at most 128"),
                    HasSubstr("use the state cold, or a case of 792625 bytes or more")));
  EXPECT_TRUE(rotation_for(792625, 32 * mib));
  EXPECT_FALSE(rotation_for(792624, 32 * mib));
}

TEST(Rotation, NeedsBytesAndACacheOfKnownSize) {
  EXPECT_EQ(rotation_for(0, 32 * mib).missing().reason, "nothing-to-rotate");
  EXPECT_EQ(rotation_for(mib, Missing{"x", ""}).missing().reason, "cache-unknown");
}

TEST(Rotation, ReadsBackAsTheSame) {
  const Rotation rotation{4, 8192};
  EXPECT_EQ(rotation_from_json(to_json(rotation), "r"), rotation);
  EXPECT_THROW(rotation_from_json(to_json(Rotation{1, 8192}), "r"), Error);
  EXPECT_THROW(rotation_from_json(to_json(Rotation{4, 3}), "r"), Error);
}

}  // namespace
