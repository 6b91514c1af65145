// SPDX-License-Identifier: MIT
#include "assay/problem/axis.hpp"

#include <gmock/gmock.h>

#include "assay/base/error.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(const AxisValues& values) {
  std::vector<std::string> list;
  for (const AxisValue& value : values.values()) list.push_back(to_text(value));
  return list;
}

TEST(AxisValues, KeepOrderAndDropRepeats) {
  EXPECT_THAT(texts({3, 1, 3, 2}), ElementsAre("3", "1", "2"));
  EXPECT_THAT(texts({0.5, 2.0}), ElementsAre("0.5", "2.0"));
  EXPECT_THAT(texts({"f32", "bf16"}), ElementsAre("f32", "bf16"));
}

TEST(AxisValues, AreOfOneTypeAndNotEmpty) {
  EXPECT_THROW(AxisValues(std::vector<AxisValue>{}), Error);
  EXPECT_THROW(AxisValues({AxisValue(std::int64_t{1}), AxisValue(2.0)}), Error);
}

TEST(AxisValues, TailsStandAroundTheirValue) {
  EXPECT_THAT(texts(pow2(1, 3).with_tails()), ElementsAre("1", "2", "3", "4", "5", "7", "8", "9"));
  EXPECT_THAT(texts(AxisValues({10}).with_tails({3, -2})), ElementsAre("8", "10", "13"));
  EXPECT_THAT(texts(AxisValues({10}).with_tails({-2})), ElementsAre("8", "10"));
}

TEST(AxisValues, SizesHaveNoTailsBelowOne) {
  EXPECT_THAT(texts(pow2(0, 0).with_tails()), ElementsAre("1", "2"));
  EXPECT_THAT(texts(AxisValues({1}).with_tails()), ElementsAre("0", "1", "2"));
}

TEST(AxisValues, OnlyIntegersAreSizes) {
  EXPECT_TRUE(pow2(2, 4).size_axis());
  EXPECT_FALSE(pow2(2, 4).is_size(false).size_axis());
  EXPECT_FALSE(AxisValues({1, 2}).size_axis());
  EXPECT_TRUE(AxisValues({1, 2}).is_size().may_be_empty().empty_allowed());
  EXPECT_THROW(AxisValues({"f32"}).is_size(), Error);
  EXPECT_THROW(AxisValues({0.5}).with_tails(), Error);
  EXPECT_THROW(AxisValues({0.5}).may_be_empty(), Error);
}

TEST(Pow2, CoversBothEndsAndRefusesNonsense) {
  EXPECT_THAT(texts(pow2(0, 3)), ElementsAre("1", "2", "4", "8"));
  EXPECT_EQ(texts(pow2(62, 62)).front(), "4611686018427387904");
  EXPECT_THROW(pow2(3, 2), Error);
  EXPECT_THROW(pow2(-1, 2), Error);
  EXPECT_THROW(pow2(0, 63), Error);
}

TEST(Product, RunsTheLastAxisFastest) {
  std::vector<std::string> ids;
  for (const Case& c : product({{"n", {1, 2}}, {"t", {"a", "b"}}})) ids.push_back(c.id());
  EXPECT_THAT(ids, ElementsAre("n=1 t=a", "n=1 t=b", "n=2 t=a", "n=2 t=b"));
}

TEST(Product, IsOneCaseWithoutAxes) {
  ASSERT_EQ(product({}).size(), 1U);
  EXPECT_EQ(product({}).front().id(), "-");
}

}  // namespace
}  // namespace assay
