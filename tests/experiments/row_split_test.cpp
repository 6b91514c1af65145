// SPDX-License-Identifier: MIT
#include "add_rmsnorm_cuda/row_split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using add_rmsnorm_cuda::edge_column;
using add_rmsnorm_cuda::phase_of;
using add_rmsnorm_cuda::RowSplit;
using add_rmsnorm_cuda::select;
using add_rmsnorm_cuda::split_row;
using add_rmsnorm_cuda::vector_elements;
using add_rmsnorm_cuda::Words;

TEST(RowSplit, GivesEveryColumnToOneVectorOrOneThread) {
  for (int phase = 0; phase < vector_elements; ++phase) {
    for (int cols = 0; cols < 70; ++cols) {
      const RowSplit parts = split_row(phase, cols);
      std::vector<int> taken(static_cast<std::size_t>(cols), 0);
      for (int i = 0; i < parts.vectors * vector_elements; ++i)
        ++taken.at(static_cast<std::size_t>(parts.head + i));
      for (int thread = 0; thread < 1024; ++thread) {
        const int column = edge_column(parts, cols, thread);
        if (column >= 0) ++taken.at(static_cast<std::size_t>(column));
      }
      EXPECT_EQ(taken, std::vector<int>(static_cast<std::size_t>(cols), 1)) << phase << ' ' << cols;
    }
  }
}

TEST(RowSplit, PutsVectorsOnSixteenByteBoundaries) {
  for (int phase = 0; phase < vector_elements; ++phase) {
    const RowSplit parts = split_row(phase, 100);
    EXPECT_EQ((phase + parts.head) % vector_elements, 0);
    EXPECT_LT(parts.head, vector_elements);
    EXPECT_LT(parts.tail, vector_elements);
  }
}

TEST(RowSplit, NeedsNoMoreVectorsThanAnAlignedRow) {
  for (int phase = 0; phase < vector_elements; ++phase) {
    for (int cols : {1, 7, 8, 9, 8191, 8192, 8193})
      EXPECT_LE(split_row(phase, cols).vectors, cols / vector_elements);
  }
}

TEST(Phase, CountsElementsFromTheBoundary) {
  EXPECT_EQ(phase_of(4096), 0);
  EXPECT_EQ(phase_of(4096 + 2), 1);
  EXPECT_EQ(phase_of(4096 + 14), 7);
  EXPECT_EQ(phase_of(4096 + 16), 0);
}

TEST(Select, TakesEightElementsFromAnywhereInTwoVectors) {
  std::array<std::uint16_t, 16> elements{};
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<std::uint16_t>(0x1111 * (i % 15) + i);
  Words first{};
  Words second{};
  std::memcpy(first.w, elements.data(), 16);
  std::memcpy(second.w, elements.data() + 8, 16);
  for (int phase = 0; phase <= vector_elements; ++phase) {
    const Words selected = select(first, second, phase);
    EXPECT_EQ(std::memcmp(selected.w, elements.data() + phase, 16), 0) << phase;
  }
}

}  // namespace
