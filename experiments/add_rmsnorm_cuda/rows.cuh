// SPDX-License-Identifier: MIT
//
// s = x + r and y = s / sqrt(mean(s²) + epsilon) · w over rows of bfloat16, in the steps that a
// caller picks. Arithmetic is in float; s is rounded to bfloat16 before it is squared, so that all
// ways to compute y agree.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

#include "add_rmsnorm/epsilon.hpp"
#include "add_rmsnorm_cuda/row_split.hpp"
#include "cuda_common/launch.cuh"

namespace add_rmsnorm_cuda {

using Element = __nv_bfloat16;

// What one pass over the rows does.
enum class Step {
  fused,    // read x, r; write s, y
  norm,     // read s; write y
  squares,  // read s; write one scale a row
  apply,    // read s and the scales; write y
};

ADD_RMSNORM_EVERYWHERE constexpr bool adds(Step step) { return step == Step::fused; }
ADD_RMSNORM_EVERYWHERE constexpr bool needs_squares(Step step) { return step != Step::apply; }
ADD_RMSNORM_EVERYWHERE constexpr bool writes_y(Step step) { return step != Step::squares; }

struct Rows {
  const Element* x;  // read where the step adds
  const Element* r;
  const Element* w;
  Element* s;  // written where the step adds, else read
  Element* y;
  float* scale;  // one a row; only with `squares` and `apply`
  std::int64_t rows;
  int cols;
  float inverse_cols;  // 1 / cols: a division would make every row wait
};

// How memory is asked for: as the compiler likes, or marked as not needed again.
enum class Access { plain, streaming };

template <Access access>
__device__ __forceinline__ Words load(const Element* from) {
  const auto* place = reinterpret_cast<const uint4*>(from);
  uint4 v;
  if constexpr (access == Access::streaming) {
    v = __ldcs(place);
  } else {
    v = *place;
  }
  return {{v.x, v.y, v.z, v.w}};
}

template <Access access>
__device__ __forceinline__ void store(Element* to, const Words& v) {
  auto* place = reinterpret_cast<uint4*>(to);
  if constexpr (access == Access::streaming) {
    __stcs(place, make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]));
  } else {
    // Said outright, as a plain assignment became four stores of a word each.
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(place)), "r"(v.w[0]), "r"(v.w[1]), "r"(v.w[2]),
                   "r"(v.w[3])
                 : "memory");
  }
}

// Of two bfloat16 in a word.
__device__ __forceinline__ float low_of(std::uint32_t word) { return __uint_as_float(word << 16); }
__device__ __forceinline__ float high_of(std::uint32_t word) {
  return __uint_as_float(word & 0xffff0000U);
}

__device__ __forceinline__ std::uint32_t pair_of(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  std::uint32_t word;
  memcpy(&word, &pair, sizeof word);
  return word;
}

__device__ __forceinline__ float rounded(float value) {
  return __bfloat162float(__float2bfloat16_rn(value));
}

__device__ __forceinline__ Element sum_of(Element a, Element b) {
  return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
}

// Of eight elements and eight.
__device__ __forceinline__ Words sum_of(const Words& a, const Words& b) {
  Words sum;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum.w[i] = pair_of(low_of(a.w[i]) + low_of(b.w[i]), high_of(a.w[i]) + high_of(b.w[i]));
  return sum;
}

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

// The sum over the block, in every thread; once a kernel.
template <int Threads>
__device__ __forceinline__ float sum_of_block(float value, float* shared) {
  constexpr int warps = Threads / 32;
  value = sum_of_warp(value);
  if constexpr (warps == 1) return value;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  // Every warp does it again for itself: one barrier instead of two.
  return sum_of_warp(lane < warps ? shared[lane] : 0.0F);
}

__device__ __forceinline__ float scale_of(float squares, const Rows& a) {
  return rsqrtf(fmaf(squares, a.inverse_cols, add_rmsnorm::epsilon));
}

// A block takes one row and keeps it in registers between the two passes over it: at most
// Threads · Vectors vectors, and the elements before the first and after the last 16-byte boundary,
// which have a thread each. x, r, s and y must have the same phase; w may have any. With half of a
// multiprocessor's threads at work enough loads are under way, and each has 64 registers.
template <Step step, int Threads, int Vectors, Access access>
__global__ void __launch_bounds__(Threads, 1024 / Threads) row_in_registers(Rows a) {
  __shared__ float shared[32];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = blockIdx.x;
  const std::int64_t start = row * a.cols;
  const RowSplit parts = split_row(phase_of(reinterpret_cast<std::uintptr_t>(a.s + start)), a.cols);
  const int edge = edge_column(parts, a.cols, thread);
  // This thread's first vector; the others follow at distances that the compiler knows.
  const std::int64_t first = start + parts.head + thread * vector_elements;
  constexpr int step_elements = Threads * vector_elements;

  // All of x and r is asked for before any of it is used.
  Words s[Vectors];
  Words r[Vectors];
  Words weight[Vectors];
  float edge_s = 0;
  float edge_w = 0;
  const Element* from = adds(step) ? a.x : a.s;
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    if (thread + k * Threads >= parts.vectors) continue;
    s[k] = load<access>(from + first + k * step_elements);
    if constexpr (adds(step)) r[k] = load<access>(a.r + first + k * step_elements);
  }
  if (edge >= 0) {
    edge_s = __bfloat162float(from[start + edge]);
    if constexpr (adds(step)) edge_s = rounded(edge_s + __bfloat162float(a.r[start + edge]));
    if constexpr (writes_y(step)) edge_w = __bfloat162float(a.w[edge]);
  }
  if constexpr (adds(step)) {
#pragma unroll
    for (int k = 0; k < Vectors; ++k) {
      if (thread + k * Threads >= parts.vectors) continue;
      s[k] = sum_of(s[k], r[k]);
      store<access>(a.s + first + k * step_elements, s[k]);
    }
    if (edge >= 0) a.s[start + edge] = __float2bfloat16_rn(edge_s);
  }
  if constexpr (writes_y(step)) {
    // On its way while the squares are added up; no earlier, as r's registers are free only now.
    // The columns of a vector begin anywhere in w, which stays in the caches.
    const int w_phase = phase_of(reinterpret_cast<std::uintptr_t>(a.w + parts.head));
    const Element* w = a.w + parts.head - w_phase + thread * vector_elements;
#pragma unroll
    for (int k = 0; k < Vectors; ++k) {
      if (thread + k * Threads < parts.vectors)
        weight[k] = load<Access::plain>(w + k * step_elements);
    }
    if (w_phase != 0) {
      // Of a second vector only the bytes up to the end of the eight elements are used. The rest
      // of its 16 bytes may lie past the end of w, but never where there is no memory.
#pragma unroll
      for (int k = 0; k < Vectors; ++k) {
        if (thread + k * Threads >= parts.vectors) continue;
        const Words next = load<Access::plain>(w + k * step_elements + vector_elements);
        weight[k] = select(weight[k], next, w_phase);
      }
    }
  }

  float scale = 0;
  if constexpr (needs_squares(step)) {
    float squares = edge_s * edge_s;
#pragma unroll
    for (int k = 0; k < Vectors; ++k) {
      if (thread + k * Threads >= parts.vectors) continue;
      float even = 0;
      float odd = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        even = fmaf(low_of(s[k].w[i]), low_of(s[k].w[i]), even);
        odd = fmaf(high_of(s[k].w[i]), high_of(s[k].w[i]), odd);
      }
      squares += even + odd;
    }
    scale = scale_of(sum_of_block<Threads>(squares, shared), a);
  } else {
    scale = a.scale[row];
  }
  if constexpr (writes_y(step)) {
#pragma unroll
    for (int k = 0; k < Vectors; ++k) {
      if (thread + k * Threads >= parts.vectors) continue;
      Words y;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        y.w[i] = pair_of(low_of(s[k].w[i]) * scale * low_of(weight[k].w[i]),
                         high_of(s[k].w[i]) * scale * high_of(weight[k].w[i]));
      }
      store<access>(a.y + first + k * step_elements, y);
    }
    if (edge >= 0) a.y[start + edge] = __float2bfloat16_rn(edge_s * scale * edge_w);
  } else {
    if (thread == 0) a.scale[row] = scale;
  }
}

// The same, one element at a time, with the second pass reading s from memory again: for rows that
// do not fit the registers, and for tensors that begin at different phases.
template <Step step, int Threads>
__global__ void __launch_bounds__(Threads) row_by_elements(Rows a) {
  __shared__ float shared[32];
  const std::int64_t row = blockIdx.x;
  const std::int64_t start = row * a.cols;
  float scale = 0;
  if constexpr (needs_squares(step)) {
    float squares = 0;
    for (int i = static_cast<int>(threadIdx.x); i < a.cols; i += Threads) {
      if constexpr (adds(step)) a.s[start + i] = sum_of(a.x[start + i], a.r[start + i]);
      const float s = __bfloat162float(a.s[start + i]);
      squares = fmaf(s, s, squares);
    }
    scale = scale_of(sum_of_block<Threads>(squares, shared), a);
  } else {
    scale = a.scale[row];
  }
  if constexpr (writes_y(step)) {
    for (int i = static_cast<int>(threadIdx.x); i < a.cols; i += Threads) {
      const float s = __bfloat162float(a.s[start + i]);  // this thread's own
      a.y[start + i] = __float2bfloat16_rn(s * scale * __bfloat162float(a.w[i]));
    }
  } else {
    if (threadIdx.x == 0) a.scale[row] = scale;
  }
}

constexpr int add_threads = 256;
constexpr int add_unroll = 4;

// s = x + r without regard to rows. All three on 16-byte boundaries, n a multiple of 8.
template <Access access>
__global__ void __launch_bounds__(add_threads)
    add_vectors(const Element* x, const Element* r, Element* s, std::int64_t vectors) {
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * (add_threads * add_unroll) + threadIdx.x;
  Words a[add_unroll];
  Words b[add_unroll];
#pragma unroll
  for (int u = 0; u < add_unroll; ++u) {
    const std::int64_t v = first + u * add_threads;
    if (v >= vectors) continue;
    a[u] = load<access>(x + v * vector_elements);
    b[u] = load<access>(r + v * vector_elements);
  }
#pragma unroll
  for (int u = 0; u < add_unroll; ++u) {
    const std::int64_t v = first + u * add_threads;
    if (v >= vectors) continue;
    store<access>(s + v * vector_elements, sum_of(a[u], b[u]));
  }
}

// `static`: a kernel that is no template would be defined in every file that includes this one.
static __global__ void __launch_bounds__(add_threads)
    add_elements(const Element* x, const Element* r, Element* s, std::int64_t n) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * add_threads + threadIdx.x;
  if (i < n) s[i] = sum_of(x[i], r[i]);
}

template <Access access = Access::plain>
void launch_add(const Element* x, const Element* r, Element* s, std::int64_t n,
                cudaStream_t stream) {
  const auto misplaced =
      (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(r) |
       reinterpret_cast<std::uintptr_t>(s)) %
      16;
  if (misplaced == 0 && n % vector_elements == 0) {
    const std::int64_t vectors = n / vector_elements;
    const auto blocks =
        static_cast<unsigned>(cuda_common::blocks_for(vectors, add_threads * add_unroll));
    add_vectors<access><<<blocks, add_threads, 0, stream>>>(x, r, s, vectors);
  } else {
    const auto blocks = static_cast<unsigned>(cuda_common::blocks_for(n, add_threads));
    add_elements<<<blocks, add_threads, 0, stream>>>(x, r, s, n);
  }
  cuda_common::expect_launched("launching the addition");
}

// Whether one split of the row serves all tensors that the step touches.
inline bool same_phase(Step step, const Rows& a) {
  const auto phase = [](const Element* p) { return phase_of(reinterpret_cast<std::uintptr_t>(p)); };
  const int s = phase(a.s);
  return (!adds(step) || (phase(a.x) == s && phase(a.r) == s)) &&
         (!writes_y(step) || phase(a.y) == s);
}

// One block a row: a row that is done makes room for the next, whatever each took.
template <Step step, int Threads, int Vectors, Access access = Access::plain>
void launch_in_registers(const Rows& a, cudaStream_t stream) {
  row_in_registers<step, Threads, Vectors, access>
      <<<static_cast<unsigned>(a.rows), Threads, 0, stream>>>(a);
  cuda_common::expect_launched("launching row_in_registers");
}

template <Step step>
void launch_rows(const Rows& a, cudaStream_t stream) {
  if (a.rows == 0 || a.cols == 0) return;
  if (a.rows > 0x7fffffff)
    throw std::runtime_error(
        "there are more rows than a grid has blocks: call with fewer at a time");
  const int vectors = a.cols / vector_elements;
  if (!same_phase(step, a) || vectors > 4096) {
    row_by_elements<step, 256><<<static_cast<unsigned>(a.rows), 256, 0, stream>>>(a);
    cuda_common::expect_launched("launching row_by_elements");
  } else if (vectors <= 32) {
    launch_in_registers<step, 32, 1>(a, stream);
  } else if (vectors <= 128) {
    launch_in_registers<step, 128, 1>(a, stream);
  } else if (vectors <= 256) {
    launch_in_registers<step, 256, 1>(a, stream);
  } else if (vectors <= 512) {
    launch_in_registers<step, 256, 2>(a, stream);
  } else if (vectors <= 1024) {
    launch_in_registers<step, 256, 4>(a, stream);
  } else if (vectors <= 2048) {
    launch_in_registers<step, 512, 4>(a, stream);
  } else {
    launch_in_registers<step, 1024, 4>(a, stream);
  }
}

}  // namespace add_rmsnorm_cuda
