// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ceiling_kernels.hpp"

namespace assay::probe {
namespace {

struct alignas(kAlignment) Line {
  double words[8];
};

class CeilingKernels : public testing::Test {
 protected:
  static constexpr std::size_t kCount = 3 * kGranule;
  static double* words(std::vector<Line>& lines) { return lines.front().words; }

  void SetUp() override {
    for (std::size_t i = 0; i < kCount; ++i) {
      words(b_)[i] = static_cast<double>(i + 1);
      words(c_)[i] = static_cast<double>(10 * i);
    }
  }
  std::vector<Line> a_{kCount / 8};
  std::vector<Line> b_{kCount / 8};
  std::vector<Line> c_{kCount / 8};
};

TEST_F(CeilingKernels, ReadSumsEveryWordAsOftenAsAsked) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words(b_) + i, sizeof word);
    sum += word;
  }
  EXPECT_EQ(read_words(words(b_), kCount, 1), sum);
  EXPECT_EQ(read_words(words(b_), kCount, 5), 5 * sum);
}

TEST_F(CeilingKernels, WriteCopyAndTriadReachEveryElementWithBothKindsOfStores) {
  for (const Stores stores : {Stores::regular, Stores::non_temporal}) {
    write_words(words(a_), kCount, 7, stores, 2);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(words(a_)[i], 7);
    copy_words(words(a_), words(b_), kCount, stores, 2);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_EQ(words(a_)[i], words(b_)[i]);
    triad_words(words(a_), words(b_), words(c_), kCount, 3, stores, 2);
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(words(a_)[i], words(b_)[i] + 3 * words(c_)[i]);
    }
  }
}

TEST_F(CeilingKernels, MultiplyAddGrowsEveryLaneInEveryStep) {
  const Chains f32 = multiply_add_f32(1000, 1, 0.25F);
  EXPECT_EQ(f32.growth, 250.0 * static_cast<double>(f32.lanes));
  const Chains f64 = multiply_add_f64(1000, 1, 0.25);
  EXPECT_EQ(f64.growth, 250.0 * static_cast<double>(f64.lanes));
  EXPECT_EQ(f32.lanes, 2 * f64.lanes);
  // As many chains as the registers of such instructions hold.
  const std::string instructions = ceiling_instructions();
  const bool has_32 = instructions.starts_with("AVX3") || instructions.starts_with("NEON") ||
                      instructions.starts_with("SVE");
  EXPECT_EQ(f64.lanes / (ceiling_vector_bits() / 64), has_32 ? 24 : 12) << instructions;
  EXPECT_GE(ceiling_vector_bits(), 128);
}

}  // namespace
}  // namespace assay::probe
