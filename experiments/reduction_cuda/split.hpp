// SPDX-License-Identifier: MIT
//
// Which block adds up which floats. Apart from the kernels and without CUDA, so that it is tested
// on any machine.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define REDUCTION_EVERYWHERE __host__ __device__
#else
#define REDUCTION_EVERYWHERE
#endif

namespace reduction_cuda {

// A cache line: 32 floats, 8 vectors of 16 bytes.
constexpr std::int64_t line_bytes = 128;
constexpr std::int64_t line_floats = line_bytes / 4;
constexpr std::int64_t line_vectors = line_bytes / 16;

// n floats = head, then whole lines that begin on a line's boundary, then tail; head and tail are
// shorter than a line. Blocks share whole lines, so that no line is asked for by two of them.
struct Split {
  std::int64_t head = 0;
  std::int64_t lines = 0;
  std::int64_t tail = 0;
};

// address: of the first float, a multiple of 4.
inline Split split(std::uintptr_t address, std::int64_t n) {
  const auto past_boundary = static_cast<std::int64_t>(address % line_bytes);
  Split parts;
  parts.head = past_boundary == 0 ? 0 : (line_bytes - past_boundary) / 4;
  if (parts.head > n) parts.head = n;
  parts.lines = (n - parts.head) / line_floats;
  parts.tail = n - parts.head - parts.lines * line_floats;
  return parts;
}

// Lines per block as a quotient and a remainder, so that a kernel needs no division.
struct Shares {
  std::int64_t each = 0;
  std::int64_t larger = 0;  // the first so many blocks have one line more

  // The first line of a block; that of block + 1 is where it ends.
  REDUCTION_EVERYWHERE std::int64_t first(std::int64_t block) const {
    return block * each + (block < larger ? block : larger);
  }
};

inline Shares share(std::int64_t lines, std::int64_t blocks) {
  return {lines / blocks, lines % blocks};
}

}  // namespace reduction_cuda
