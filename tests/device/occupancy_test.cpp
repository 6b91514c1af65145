// SPDX-License-Identifier: MIT
#include "assay/device/cuda/occupancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::ElementsAre;

// Compute capability 9.0, by the table of technical specifications in the CUDA C++ programming
// guide: 2048 threads (64 warps), 32 blocks, 65536 registers and 228 KiB of shared memory on a
// multiprocessor; 1 KiB of it is reserved for each block.
MultiprocessorLimits sm_90() { return {32, 2048, 32, 65536, 228 * 1024, 1024}; }

FittingBlocks fitting(std::int64_t threads, std::int64_t registers, std::int64_t shared = 0) {
  return fitting_blocks(sm_90(), {threads, registers, shared});
}

TEST(FittingBlocks, AreLimitedByWhatRunsOutFirst) {
  EXPECT_EQ(fitting(256, 32).blocks, 8);
  EXPECT_EQ(fitting(256, 32).limited_by, "threads");
  EXPECT_EQ(fitting(32, 16).blocks, 32);
  EXPECT_EQ(fitting(32, 16).limited_by, "blocks");
  // 255 registers: 8192 a warp, two warps to each of the four schedulers, eight in all.
  EXPECT_EQ(fitting(256, 255).blocks, 1);
  EXPECT_EQ(fitting(256, 255).limited_by, "registers");
  EXPECT_EQ(fitting(1024, 64).blocks, 1);
  // 65 registers round up to 2304 a warp: 7 to a scheduler, 28 warps, too few for 1024 threads.
  EXPECT_EQ(fitting(1024, 65).blocks, 0);
  // 227 KiB, the most that a block may have, and the reserved one fill it.
  EXPECT_EQ(fitting(128, 32, 227 * 1024).blocks, 1);
  EXPECT_EQ(fitting(128, 32, 227 * 1024).limited_by, "shared-memory");
  EXPECT_EQ(fitting(128, 32, 113 * 1024).blocks, 2);
  EXPECT_EQ(fitting(128, 32, 113 * 1024 + 1).blocks, 1);
}

TEST(FittingBlocks, RoundThreadsUpToWarps) {
  EXPECT_EQ(fitting(33, 16).blocks, 32);
  EXPECT_EQ(fitting(65, 16).blocks, 21);  // three warps each of 64
}

TEST(OccupancyOf, IsTheShareOfWarpsForTheDriversNumberOfBlocks) {
  const Occupancy full = occupancy_of(sm_90(), {256, 32, 0}, 8);
  EXPECT_EQ(full.warps, 64);
  EXPECT_DOUBLE_EQ(full.warps_frac, 1);
  EXPECT_EQ(*full.limited_by, "threads");
  const Occupancy part = occupancy_of(sm_90(), {65, 16, 0}, 21);
  EXPECT_EQ(part.warps, 63);
  EXPECT_DOUBLE_EQ(part.warps_frac, 63.0 / 64);
  EXPECT_DOUBLE_EQ(occupancy_of(sm_90(), {1024, 65, 0}, 0).warps_frac, 0);
}

TEST(OccupancyOf, DoesNotSayWhyWhereItsRulesComeToAnotherNumber) {
  const Occupancy occupancy = occupancy_of(sm_90(), {256, 32, 0}, 7);
  EXPECT_EQ(occupancy.blocks, 7);
  EXPECT_EQ(occupancy.limited_by.missing().reason, "unclear");
}

// As NVRTC 13.0 wrote them; the last two with the attributes of other versions.
TEST(ParameterBytes, AreThoseOfTheDeclaration) {
  const std::string ptx =
      ".visible .entry q(\n\t.param .u64 q_param_0,\n\t.param .u32 q_param_1,\n"
      "\t.param .align 8 .b8 q_param_2[24],\n\t.param .u8 q_param_3,\n\t.param .f32 "
      "q_param_4\n)\n{\n"
      ".visible .entry r()\n.maxntid 256, 1, 1\n{\n"
      ".visible .entry s(\n\t.param .u64 .ptr .global .align 16 s_param_0,\n"
      "\t.param .align 64 .b8 s_param_1[128]\n)\n.entry t(\n\t.param .reg t_param_0\n)\n";
  EXPECT_THAT(*parameter_bytes_in(ptx, "q"), ElementsAre(8, 4, 24, 1, 4));
  EXPECT_THAT(*parameter_bytes_in(ptx, "r"), ElementsAre());
  EXPECT_THAT(*parameter_bytes_in(ptx, "s"), ElementsAre(8, 128));
  EXPECT_FALSE(parameter_bytes_in(ptx, "t").has_value());
  EXPECT_FALSE(parameter_bytes_in(ptx, "absent").has_value());
}

}  // namespace
