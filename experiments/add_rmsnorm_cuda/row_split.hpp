// SPDX-License-Identifier: MIT
//
// How a row of 2-byte elements that begins anywhere is read 16 bytes at a time. Apart from the
// kernels and without CUDA, so that it is tested on any machine.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define ADD_RMSNORM_EVERYWHERE __host__ __device__
#else
#define ADD_RMSNORM_EVERYWHERE
#endif

namespace add_rmsnorm_cuda {

constexpr int vector_elements = 8;  // of 2 bytes in 16

// Elements from a 16-byte boundary to the address, which is a multiple of 2.
ADD_RMSNORM_EVERYWHERE constexpr int phase_of(std::uintptr_t address) {
  return static_cast<int>(address / 2 % vector_elements);
}

// A row = head, then vectors on 16-byte boundaries, then tail; head and tail are shorter than a
// vector.
struct RowSplit {
  int head = 0;
  int vectors = 0;
  int tail = 0;
};

ADD_RMSNORM_EVERYWHERE constexpr RowSplit split_row(int phase, int cols) {
  RowSplit parts;
  parts.head = (vector_elements - phase) % vector_elements;
  if (parts.head > cols) parts.head = cols;
  parts.vectors = (cols - parts.head) / vector_elements;
  parts.tail = cols - parts.head - parts.vectors * vector_elements;
  return parts;
}

// Threads 0 … 7 have an element of the head each, 8 … 15 one of the tail. The column, or −1.
ADD_RMSNORM_EVERYWHERE constexpr int edge_column(const RowSplit& parts, int cols, int thread) {
  if (thread < vector_elements) return thread < parts.head ? thread : -1;
  const int place = thread - vector_elements;
  return place < parts.tail ? cols - parts.tail + place : -1;
}

// Eight elements out of two neighbouring vectors, from element `phase` (0 … 8) of the first on:
// what a load of 16 bytes that are not on a boundary would give. Whole words are moved by
// selecting, as an index that is only known at run time would put the words into local memory.
struct Words {
  std::uint32_t w[4];
};

ADD_RMSNORM_EVERYWHERE inline std::uint32_t join(std::uint32_t low, std::uint32_t high, bool odd) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, odd ? 16 : 0);
#else
  return odd ? low >> 16 | high << 16 : low;
#endif
}

ADD_RMSNORM_EVERYWHERE inline Words select(const Words& first, const Words& second, int phase) {
  std::uint32_t a[9];
  for (int i = 0; i < 4; ++i) {
    a[i] = first.w[i];
    a[4 + i] = second.w[i];
  }
  a[8] = 0;
  if ((phase & 8) != 0) {
    for (int i = 0; i < 4; ++i) a[i] = a[4 + i];
  }
  if ((phase & 4) != 0) {
    for (int i = 0; i < 6; ++i) a[i] = a[i + 2];
  }
  if ((phase & 2) != 0) {
    for (int i = 0; i < 6; ++i) a[i] = a[i + 1];
  }
  const bool odd = (phase & 1) != 0;
  return {
      {join(a[0], a[1], odd), join(a[1], a[2], odd), join(a[2], a[3], odd), join(a[3], a[4], odd)}};
}

}  // namespace add_rmsnorm_cuda
