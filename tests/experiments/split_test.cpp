// SPDX-License-Identifier: MIT
#include "reduction_cuda/split.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using reduction_cuda::line_bytes;
using reduction_cuda::line_floats;
using reduction_cuda::share;
using reduction_cuda::Shares;
using reduction_cuda::Split;
using reduction_cuda::split;

TEST(Split, CoversEveryFloatOnce) {
  for (std::uintptr_t address = 4096; address < 4096 + line_bytes; address += 4) {
    for (std::int64_t n = 0; n < 200; ++n) {
      const Split parts = split(address, n);
      EXPECT_EQ(parts.head + parts.lines * line_floats + parts.tail, n) << address << ' ' << n;
      EXPECT_GE(parts.head, 0);
      EXPECT_GE(parts.lines, 0);
      EXPECT_GE(parts.tail, 0);
    }
  }
}

TEST(Split, PutsLinesOnTheirBoundaries) {
  for (std::uintptr_t address = 4096; address < 4096 + line_bytes; address += 4) {
    const Split parts = split(address, 1000);
    EXPECT_EQ((address + 4 * static_cast<std::uintptr_t>(parts.head)) % line_bytes, 0U);
  }
}

TEST(Split, LeavesLessThanALineAtEitherEnd) {
  for (std::uintptr_t address = 4096; address < 4096 + line_bytes; address += 4) {
    for (std::int64_t n = 0; n < 200; ++n) {
      const Split parts = split(address, n);
      EXPECT_LT(parts.head, line_floats);
      EXPECT_LT(parts.tail, line_floats);
    }
  }
}

TEST(Shares, GiveEveryLineToOneBlock) {
  for (std::int64_t lines : {0, 1, 131, 132, 133, 8192, 524288}) {
    for (std::int64_t blocks : {1, 2, 132, 528}) {
      const Shares shares = share(lines, blocks);
      EXPECT_EQ(shares.first(0), 0);
      EXPECT_EQ(shares.first(blocks), lines);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t own = shares.first(block + 1) - shares.first(block);
        EXPECT_GE(own, lines / blocks);
        EXPECT_LE(own, lines / blocks + 1);
      }
    }
  }
}

}  // namespace
