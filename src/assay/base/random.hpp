// SPDX-License-Identifier: MIT
//
// Counter-based random numbers: the n-th number of a stream is a pure function of (key, n).
//
// Inputs must have the same bytes on every platform, in any order of generation and from any number
// of threads; the order of a block must be recomputable from the seed in the record. std:: engines
// with std:: distributions give neither (distributions differ between libraries), a sequential
// engine cannot jump. Philox4x32-10 can: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC'11, with the constants of its table 2. Not for cryptography.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace assay {

// Ten rounds of Philox4x32: four 32-bit words from a 128-bit counter and a 64-bit key.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

// A stream of numbers under one key; at(n) is random access, next() walks on from 0.
class Random {
 public:
  explicit constexpr Random(std::uint64_t key) noexcept : key_(key) {}

  // 64 bits, a pure function of key and index.
  constexpr std::uint64_t at(std::uint64_t index) const noexcept {
    return pair_of(index)[index & 1];
  }
  constexpr std::uint64_t next() noexcept {
    if ((index_ & 1) == 0) pair_ = pair_of(index_);
    return pair_[index_++ & 1];
  }

  // [0, 1), 53 bits.
  constexpr double next_uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // 0 … bound−1, unbiased (Lemire 2019, "Fast random integer generation in an interval", with
  // rejection). bound ≥ 1.
  std::uint64_t next_below(std::uint64_t bound);

  // 0 … count−1 in random order (Fisher–Yates).
  std::vector<std::size_t> permutation(std::size_t count);

 private:
  // The numbers of an even index and the next one, which come out of one counter.
  constexpr std::array<std::uint64_t, 2> pair_of(std::uint64_t index) const noexcept {
    const auto words = philox4x32(
        {static_cast<std::uint32_t>(index >> 1), static_cast<std::uint32_t>(index >> 33), 0, 0},
        {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
    return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
  }

  std::uint64_t key_;
  std::uint64_t index_ = 0;
  std::array<std::uint64_t, 2> pair_{};  // that the last number came out of
};

// The key of a named sub-stream: derive_key(seed, {"order", cell, "3"}). Independent streams for
// different names; the value is part of what a record means (resume and verify recompute orders
// from it), so it never changes.
std::uint64_t derive_key(std::uint64_t seed, std::initializer_list<std::string_view> names);

}  // namespace assay
