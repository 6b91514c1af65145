// SPDX-License-Identifier: MIT
#include "assay/measure/canary_kernels.hpp"

namespace assay::measure {

std::uint64_t canary_compute(std::uint64_t start) noexcept {
  std::uint64_t x = start | 1U;
  for (int step = 0; step < 32768; ++step) {
    // Multiply and shift-xor: no compiler shortens such a chain.
    x *= 0xD6E8FEB86659FD93U;
    x ^= x >> 32;
  }
  return x;
}

std::uint64_t canary_memory(const std::uint64_t* words, std::size_t bytes) noexcept {
  constexpr std::size_t step = 64 / sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); i += step) sum += words[i];
  return sum;
}

}  // namespace assay::measure
