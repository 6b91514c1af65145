// SPDX-License-Identifier: MIT
#include "assay/model/waves.hpp"

#include <gtest/gtest.h>

#include "assay/base/error.hpp"

namespace assay::model {
namespace {

// 132 multiprocessors of 2048 threads and 32 blocks.
Multiprocessors some_device() {
  Multiprocessors device;
  device.count = 132;
  device.threads = std::int64_t{2048};
  device.blocks = std::int64_t{32};
  return device;
}

TEST(Waves, AreBlocksOverThePlacesOfAllMultiprocessors) {
  // 256 threads, 8 warps of 64: all of it is 8 blocks, 1056 places.
  const Waves waves = waves_of({10560, 256, 1.0}, some_device());
  EXPECT_TRUE(waves.is_exact);
  EXPECT_EQ(*waves.resident_blocks, 8);
  EXPECT_DOUBLE_EQ(*waves.waves, 10);
  EXPECT_EQ(*waves.word, filled);
  EXPECT_DOUBLE_EQ(waves.last_wave_frac(), 1);
}

TEST(Waves, AShortLastOneLeavesPlacesEmpty) {
  const Waves little_more = waves_of({1108, 256, 1.0}, some_device());
  EXPECT_NEAR(*little_more.waves, 1.049, 0.001);
  EXPECT_EQ(*little_more.word, short_last_wave);
  EXPECT_NEAR(little_more.last_wave_frac(), 0.049, 0.001);
  // The eleventh of eleven: of all places not a tenth is empty.
  EXPECT_EQ(*waves_of({10561, 256, 1.0}, some_device()).word, filled);
  EXPECT_EQ(*waves_of({2 * 1056 - 100, 256, 1.0}, some_device()).word, filled);
}

TEST(Waves, LessThanOneIsTooFewBlocks) {
  const Waves half = waves_of({528, 256, 1.0}, some_device());
  EXPECT_DOUBLE_EQ(*half.waves, 0.5);
  EXPECT_EQ(*half.word, too_few_blocks);
  // With a quarter of the occupancy the same blocks are two waves.
  EXPECT_DOUBLE_EQ(*waves_of({528, 256, 0.25}, some_device()).waves, 2);
  EXPECT_EQ(*waves_of({528, 256, 0.25}, some_device()).word, filled);
}

TEST(Waves, WithoutOccupancyThereAreAtLeastSoMany) {
  const Missing unknown{"not-asked", ""};
  const Waves waves = waves_of({1108, 256, unknown}, some_device());
  EXPECT_FALSE(waves.is_exact);
  EXPECT_EQ(*waves.resident_blocks, 8);
  EXPECT_NEAR(*waves.waves, 1.049, 0.001);
  EXPECT_EQ(waves.word.missing().reason, "occupancy-unknown");
  EXPECT_EQ(waves_of({528, 256, unknown}, some_device()).word.missing().reason, "occupancy-unknown")
      << "fewer may fit";
  // Small blocks: no more than 32 of them. A block of 33 threads has two warps.
  EXPECT_EQ(*waves_of({1000, 32, unknown}, some_device()).resident_blocks, 32);
  EXPECT_EQ(*waves_of({1000, 33, unknown}, some_device()).resident_blocks, 32);
  EXPECT_EQ(*waves_of({1000, 1024, unknown}, some_device()).resident_blocks, 2);
  // What fits on one does not matter where some get none.
  EXPECT_EQ(*waves_of({131, 256, unknown}, some_device()).word, too_few_blocks);
}

TEST(Waves, OfADeviceThatIsNotDescribedNothingIsSaidButWhatFollowsFromItsCount) {
  Multiprocessors device;
  device.count = 132;
  const Waves waves = waves_of({528, 256, 1.0}, device);
  EXPECT_EQ(waves.waves.missing().reason, "not-recorded");
  EXPECT_EQ(waves.word.missing().reason, "occupancy-unknown");
  EXPECT_EQ(*waves_of({4, 256, 1.0}, device).word, too_few_blocks);
  EXPECT_THROW(static_cast<void>(waves_of({0, 256, 1.0}, device)), Error);
}

}  // namespace
}  // namespace assay::model
