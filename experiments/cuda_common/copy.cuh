// SPDX-License-Identifier: MIT
//
// y = x, 16 bytes at a time: the kernel that the ceiling of "so many bytes read and written" is
// measured with.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda_common/launch.cuh"

namespace cuda_common {

constexpr int copy_threads = 512;
constexpr int copy_unroll = 4;

static __global__ void __launch_bounds__(copy_threads)
    copy_vectors(const float4* __restrict__ x, float4* __restrict__ y, std::int64_t vectors) {
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (copy_threads * copy_unroll) + threadIdx.x;
  float4 kept[copy_unroll];
#pragma unroll
  for (int u = 0; u < copy_unroll; ++u) {
    const std::int64_t v = first + u * copy_threads;
    if (v < vectors) kept[u] = x[v];
  }
#pragma unroll
  for (int u = 0; u < copy_unroll; ++u) {
    const std::int64_t v = first + u * copy_threads;
    if (v < vectors) y[v] = kept[u];
  }
}

static __global__ void copy_elements(const float* __restrict__ x, float* __restrict__ y,
                                     std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

// Misaligned views and lengths that are no multiple of four go one by one.
inline void copy(const float* x, float* y, std::int64_t n, cudaStream_t stream) {
  const auto misplaced =
      (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % sizeof(float4);
  if (misplaced == 0 && n % 4 == 0) {
    const auto blocks = static_cast<unsigned>(blocks_for(n / 4, copy_threads * copy_unroll));
    copy_vectors<<<blocks, copy_threads, 0, stream>>>(reinterpret_cast<const float4*>(x),
                                                      reinterpret_cast<float4*>(y), n / 4);
  } else {
    copy_elements<<<static_cast<unsigned>(blocks_for(n, 256)), 256, 0, stream>>>(x, y, n);
  }
  expect_launched("launching copy");
}

}  // namespace cuda_common
