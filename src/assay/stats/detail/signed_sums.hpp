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

// Patterns that are visited together: those that differ in the signs of the first eight values.
inline constexpr std::size_t kPatternsAtOnce = 256;
using SumsOfPatterns = std::array<double, kPatternsAtOnce>;

// Σ ±xᵢ for one sign pattern after another. Eight values share a table of their 256 signed sums,
// so that a pattern over 128 values costs sixteen look-ups instead of 128 conditional additions.
class SignedSums {
 public:
  explicit SignedSums(std::span<const double> values) {
    for (std::size_t first = 0; first < values.size(); first += 8) {
      const auto part = values.subspan(first, std::min<std::size_t>(8, values.size() - first));
      SumsOfPatterns table{};
      std::size_t known = 1;
      for (const double value : part) {
        for (std::size_t pattern = 0; pattern < known; ++pattern) {
          table[pattern + known] = table[pattern] - value;
          table[pattern] += value;
        }
        known *= 2;
      }
      // Bits beyond the last value say nothing.
      for (std::size_t i = known; i < table.size(); ++i) table[i] = table[i - known];
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

  // The sums of the patterns first … first + 255 of at most kEnumerateUpTo values; first is a
  // multiple of 256. Beyond the last pattern of fewer than nine values they repeat.
  void of_patterns(std::uint64_t first, SumsOfPatterns& sums) const {
    const double rest = tables_.size() > 1 ? tables_[1][first / kPatternsAtOnce] : 0;
    for (std::size_t i = 0; i < kPatternsAtOnce; ++i) sums[i] = tables_[0][i] + rest;
  }

 private:
  std::vector<SumsOfPatterns> tables_;
};

// How many patterns of so many values there are up to the overall sign, which changes no |Σ|.
inline std::uint64_t patterns_of(std::size_t count) { return std::uint64_t{1} << (count - 1); }

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
