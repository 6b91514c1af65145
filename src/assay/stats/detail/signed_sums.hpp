// SPDX-License-Identifier: MIT
//
// Sums Σ ±xᵢ over sign patterns: all of them, or seeded random ones. The shared engine of the
// sign-flip test and of the null of the skewness test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/base/random.hpp"

namespace assay::stats::detail {

// Up to so many values every pattern is visited (2^15 up to the overall sign).
inline constexpr std::size_t kEnumerateUpTo = 16;

// Σ ±xᵢ for one sign pattern after another. Eight values share a table of their 256 signed sums,
// so that a pattern over 128 values costs sixteen look-ups instead of 128 conditional additions.
class SignedSums {
 public:
  explicit SignedSums(std::span<const double> values) {
    for (std::size_t first = 0; first < values.size(); first += 8) {
      const auto part = values.subspan(first, std::min<std::size_t>(8, values.size() - first));
      std::array<double, 256> table{};
      for (std::size_t pattern = 0; pattern < table.size(); ++pattern) {
        double sum = 0;
        for (std::size_t i = 0; i < part.size(); ++i) {
          sum += (pattern >> i & 1U) != 0 ? -part[i] : part[i];
        }
        table[pattern] = sum;
      }
      tables_.push_back(table);
    }
  }

  std::size_t words() const { return (tables_.size() + 7) / 8; }

  // Bit i of the pattern (64 values a word, lowest first) set: value i is subtracted.
  double operator()(std::span<const std::uint64_t> pattern) const {
    double sum = 0;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      sum += tables_[i][pattern[i / 8] >> (i % 8 * 8) & 0xFFU];
    }
    return sum;
  }

 private:
  std::vector<std::array<double, 256>> tables_;
};

// The random pattern number `flip` under a seed: a pure function of both, 128 signs a call of the
// generator.
inline void draw_signs(std::span<std::uint64_t> pattern, std::uint64_t seed, std::size_t flip) {
  for (std::size_t word = 0; word < pattern.size(); word += 2) {
    const auto bits =
        philox4x32({static_cast<std::uint32_t>(flip), static_cast<std::uint32_t>(word), 0, 0},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    pattern[word] = std::uint64_t{bits[1]} << 32 | bits[0];
    if (word + 1 < pattern.size()) pattern[word + 1] = std::uint64_t{bits[3]} << 32 | bits[2];
  }
}

}  // namespace assay::stats::detail
