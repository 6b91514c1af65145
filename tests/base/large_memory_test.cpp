// SPDX-License-Identifier: MIT
#include "assay/base/large_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace assay {
namespace {

// Around the length from which on large pages are asked for.
TEST(LargeMemory, HoldsZerosOrTheCopyWhateverTheLength) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000},
                                  (std::size_t{4} << 20) - 1, (std::size_t{9} << 20) + 3}) {
    auto zeros = large_vector<std::uint8_t>(count);
    EXPECT_EQ(zeros.size(), count);
    EXPECT_TRUE(std::all_of(zeros.begin(), zeros.end(), [](auto byte) { return byte == 0; }));
    if (count > 0) zeros.back() = 7;
    EXPECT_EQ(large_copy(zeros.data(), zeros.data() + zeros.size()), zeros);
  }
  EXPECT_EQ(large_vector<double>(1 << 20), std::vector<double>(1 << 20));
}

TEST(LargeMemory, AsksForNothingWhereThereIsNothing) {
  prefer_large_pages(nullptr, std::size_t{1} << 30);
  std::uint8_t little[64] = {};
  prefer_large_pages(little, sizeof little);
  EXPECT_EQ(little[0], 0);
}

}  // namespace
}  // namespace assay
