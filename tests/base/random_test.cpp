// SPDX-License-Identifier: MIT
#include "assay/base/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

#include "assay/base/error.hpp"

namespace assay {
namespace {

using testing::ElementsAre;

// Known answers: the file kat_vectors of Random123 1.x, published with the paper.
TEST(Philox, GivesThePublishedAnswerForZeros) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
}

TEST(Philox, GivesThePublishedAnswerForOnes) {
  EXPECT_THAT(
      philox4x32({0xffffffffU, 0xffffffffU, 0xffffffffU, 0xffffffffU}, {0xffffffffU, 0xffffffffU}),
      ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
}

TEST(Philox, GivesThePublishedAnswerForDigitsOfPi) {
  EXPECT_THAT(
      philox4x32({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, {0xa4093822U, 0x299f31d0U}),
      ElementsAre(0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U));
}

TEST(Philox, IsAConstantExpression) {
  static_assert(philox4x32({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5U);
}

TEST(Random, TakesItsWordsFromPhiloxInOrder) {
  const Random random(0);
  EXPECT_EQ(random.at(0), 0xe169c58d6627e8d5U);
  EXPECT_EQ(random.at(1), 0x9b00dbd8bc57ac4cU);
}

TEST(Random, CarriesTheIndexIntoTheSecondCounterWord) {
  const std::uint64_t index = std::uint64_t{1} << 33;
  const auto words = philox4x32({0, 1, 0, 0}, {5, 0});
  EXPECT_EQ(Random(5).at(index), std::uint64_t{words[1]} << 32 | words[0]);
}

TEST(Random, WalksThroughTheSameNumbersThatItJumpsTo) {
  const Random jumping(42);
  Random walking(42);
  for (std::uint64_t i = 0; i < 9; ++i) EXPECT_EQ(walking.next(), jumping.at(i)) << i;
}

TEST(Random, UsesBothHalvesOfItsKey) {
  EXPECT_NE(Random(1).at(0), Random(2).at(0));
  EXPECT_NE(Random(1).at(0), Random(std::uint64_t{1} << 32).at(0));
}

TEST(Random, DrawsUniformNumbersFromZeroToBelowOne) {
  Random random(7);
  double sum = 0;
  const int count = 4096;
  for (int i = 0; i < count; ++i) {
    const double drawn = random.next_uniform();
    ASSERT_GE(drawn, 0.0);
    ASSERT_LT(drawn, 1.0);
    sum += drawn;
  }
  // Four standard errors of the mean of a uniform distribution, 1/sqrt(12·4096) each; the key is
  // fixed.
  EXPECT_NEAR(sum / count, 0.5, 0.018);
}

TEST(Random, UniformNumbersAreTheTopFiftyThreeBits) {
  Random random(0);
  EXPECT_EQ(random.next_uniform(), static_cast<double>(0xe169c58d6627e8d5U >> 11) * 0x1p-53);
}

TEST(Random, DrawsEveryNumberBelowTheBoundAboutEquallyOften) {
  Random random(3);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) ++counts.at(random.next_below(6));
  // Five standard deviations of a binomial count with p = 1/6, 29 each.
  for (const int count : counts) EXPECT_NEAR(count, 1000, 145);
}

TEST(Random, RejectsDrawsThatWouldFavourSmallNumbers) {
  // Two thirds of the range: a plain remainder would give numbers below 2^62 twice as often.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  Random random(11);
  int below = 0;
  for (int i = 0; i < 3000; ++i) below += random.next_below(bound) < (std::uint64_t{1} << 62);
  EXPECT_NEAR(below, 1000, 130);
}

TEST(Random, BelowOneThereIsOnlyZero) { EXPECT_EQ(Random(1).next_below(1), 0U); }

TEST(Random, RefusesAnEmptyRange) {
  Random random(1);
  EXPECT_THROW(random.next_below(0), Error);
}

TEST(Permutation, HoldsEveryIndexOnce) {
  auto order = Random(9).permutation(50);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> expected(50);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(order, expected);
}

TEST(Permutation, ReachesEveryOrder) {
  Random random(1);
  std::set<std::vector<std::size_t>> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.permutation(3));
  EXPECT_EQ(seen.size(), 6U);
}

TEST(Permutation, OfNothingIsNothing) {
  EXPECT_TRUE(Random(1).permutation(0).empty());
  EXPECT_THAT(Random(1).permutation(1), ElementsAre(0U));
}

// Resume and verify recompute orders from the seed in a record, so these values never change.
TEST(DeriveKey, KeepsTheValuesThatRecordsDependOn) {
  EXPECT_EQ(derive_key(20261129, {"order", "n=1024", "3"}), 8496618882182030701U);
  EXPECT_EQ(derive_key(0, {}), 17038448366217270761U);
  EXPECT_THAT(Random(20261129).permutation(6), ElementsAre(4U, 5U, 3U, 0U, 2U, 1U));
}

TEST(DeriveKey, DependsOnTheSeedAndOnEachName) {
  const auto key = derive_key(1, {"order", "a"});
  EXPECT_NE(key, derive_key(2, {"order", "a"}));
  EXPECT_NE(key, derive_key(1, {"order", "b"}));
  EXPECT_NE(key, derive_key(1, {"a", "order"}));
}

TEST(DeriveKey, TellsWhereOneNameEnds) {
  EXPECT_NE(derive_key(1, {"ab", "c"}), derive_key(1, {"a", "bc"}));
  EXPECT_NE(derive_key(1, {"ab"}), derive_key(1, {"ab", ""}));
}

}  // namespace
}  // namespace assay
