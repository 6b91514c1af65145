// SPDX-License-Identifier: MIT
//
// The sum of n floats on a GPU, in one launch. Header only, as other experiments and the benches
// launch the same kernel.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "cuda_common/launch.cuh"
#include "reduction_cuda/split.hpp"

namespace reduction_cuda {

// How a vector is asked for: as the compiler likes, marked as not needed again (evict first), or
// past the first-level cache.
enum class Load { plain, streaming, no_allocate };

template <Load load>
__device__ __forceinline__ float4 load_vector(const float4* from) {
  if constexpr (load == Load::streaming) {
    return __ldcs(from);
  } else if constexpr (load == Load::no_allocate) {
    float4 v;
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(from));
    return v;
  } else {
    return __ldg(from);
  }
}

__device__ __forceinline__ float4 operator+(const float4& a, const float4& b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Of a power of two of values, pairwise.
template <int Count>
__device__ __forceinline__ float4 tree_sum(const float4* value) {
  static_assert((Count & (Count - 1)) == 0, "a power of two");
  if constexpr (Count == 1) {
    return *value;
  } else {
    return tree_sum<Count / 2>(value) + tree_sum<Count / 2>(value + Count / 2);
  }
}

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  return value;
}

// The sum over the block, in every thread of the first warp. `shared` holds 32 floats; all of the
// block's threads must be past any earlier use of it.
template <int Threads>
__device__ __forceinline__ float sum_of_block(float value, float* shared) {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  constexpr int warps = Threads / 32;
  value = sum_of_warp(value);
  if constexpr (warps == 1) return value;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  if (warp == 0) value = sum_of_warp(lane < warps ? shared[lane] : 0.0F);
  return value;
}

__device__ __forceinline__ std::uint64_t global_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Adds 1, from blocks − 1 back to 0 (ready for the next launch), and gives the old value. Whoever
// sees a later value, and whoever it meets at a barrier then, sees what this thread wrote before:
// an acquire and a release, which cost less than the two full fences of __threadfence().
__device__ __forceinline__ unsigned count_up(unsigned* count, unsigned blocks) {
  unsigned old;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(__cvta_generic_to_global(count)), "r"(blocks - 1)
               : "memory");
  return old;
}

// From the first block's start to the last block's end, by the GPU's own clock.
struct InKernel {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// What blocks hand to the one that finishes last. `blocks_done` is 0 before and after each launch;
// the rest needs no initial value.
struct Handover {
  float* partial;           // one per block
  std::uint64_t* start_ns;  // the same; only with Timed
  unsigned* blocks_done;
  InKernel* in_kernel;  // only with Timed
};

// Each thread keeps Unroll vectors under way, which it adds pairwise into its four accumulators.
// The block that finishes last adds up what the others left, in the order of the blocks: one launch
// is enough, and the same grid gives the same bits every time.
template <int Threads, int Unroll, Load load, bool Timed>
__global__ void __launch_bounds__(Threads)
    sum_lines(const float* __restrict__ x, Split parts, Shares shares, Handover handover,
              float* __restrict__ y) {
  __shared__ float shared[32];
  __shared__ float shared_last[32];
  __shared__ bool is_last;
  std::uint64_t start_ns = 0;
  if constexpr (Timed) start_ns = global_ns();

  const auto thread = static_cast<std::int64_t>(threadIdx.x);
  const auto block = static_cast<std::int64_t>(blockIdx.x);
  const auto* body = reinterpret_cast<const float4*>(x + parts.head);
  const std::int64_t end = shares.first(block + 1) * line_vectors;
  std::int64_t v = shares.first(block) * line_vectors + thread;

  float4 sum = make_float4(0, 0, 0, 0);
  for (; v + (Unroll - 1) * Threads < end; v += Unroll * Threads) {
    float4 value[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) value[u] = load_vector<load>(body + v + u * Threads);
    sum = sum + tree_sum<Unroll>(value);
  }
  // What is left for this thread is asked for together too.
  float4 value[Unroll];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    value[u] =
        v + u * Threads < end ? load_vector<load>(body + v + u * Threads) : make_float4(0, 0, 0, 0);
  }
  sum = sum + tree_sum<Unroll>(value);

  float total = (sum.x + sum.y) + (sum.z + sum.w);
  if (block == 0 && thread < parts.head) total += x[thread];
  if (block == gridDim.x - 1 && thread < parts.tail)
    total += x[parts.head + parts.lines * line_floats + thread];

  total = sum_of_block<Threads>(total, shared);
  if (thread == 0) {
    handover.partial[block] = total;
    if constexpr (Timed) handover.start_ns[block] = start_ns;
    is_last = count_up(handover.blocks_done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;

  total = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += Threads) total += __ldcg(handover.partial + i);
  total = sum_of_block<Threads>(total, shared_last);
  if (thread == 0) *y = total;
  if constexpr (Timed) {
    if (thread < 32) {
      for (unsigned i = threadIdx.x; i < gridDim.x; i += 32)
        start_ns = min(start_ns,
                       static_cast<std::uint64_t>(
                           __ldcg(reinterpret_cast<unsigned long long*>(handover.start_ns) + i)));
#pragma unroll
      for (int offset = 16; offset > 0; offset /= 2) {
        const std::uint64_t other = __shfl_xor_sync(0xffffffffU, start_ns, offset);
        start_ns = min(start_ns, other);
      }
      if (thread == 0) *handover.in_kernel = {start_ns, global_ns()};
    }
  }
}

// The shape of a launch; README.md has the reasons for the defaults, bench/gpu/shapes.cu tries
// others.
struct Shape {
  int blocks_per_multiprocessor = 4;
  // A block is not worth starting for fewer vectors a thread.
  int least_vectors_per_thread = 2;
};

template <int Threads>
int blocks_of(const Split& parts, const Shape& shape) {
  const std::int64_t wanted = cuda_common::blocks_for(
      parts.lines * line_vectors, std::int64_t{Threads} * shape.least_vectors_per_thread);
  const std::int64_t most =
      std::int64_t{cuda_common::multiprocessors()} * shape.blocks_per_multiprocessor;
  return static_cast<int>(std::min(wanted, most));
}

template <int Threads, int Unroll, Load load, bool Timed = false>
void launch_sum(const float* x, std::int64_t n, float* y, const Handover& handover,
                const Shape& shape, cudaStream_t stream) {
  const Split parts = split(reinterpret_cast<std::uintptr_t>(x), n);
  const int blocks = blocks_of<Threads>(parts, shape);
  sum_lines<Threads, Unroll, load, Timed><<<static_cast<unsigned>(blocks), Threads, 0, stream>>>(
      x, parts, share(parts.lines, blocks), handover, y);
  cuda_common::expect_launched("launching sum_lines");
}

// The one that the experiments call "vectorised".
constexpr int threads = 512;
constexpr int unroll = 4;

// The handover in scratch memory. prepare() makes it ready once; every call leaves it ready.
inline Handover handover_of(assay::Context& context, bool timed = false) {
  const auto most =
      static_cast<std::size_t>(cuda_common::multiprocessors() * Shape{}.blocks_per_multiprocessor);
  Handover handover{};
  handover.partial = context.scratch<float>("partial", most);
  handover.blocks_done = context.scratch<unsigned>("blocks-done", 1);
  if (timed) handover.start_ns = context.scratch<std::uint64_t>("start-ns", most);
  return handover;
}

inline void prepare_vectorised(assay::Context& context) {
  cuda_common::expect(cudaMemsetAsync(handover_of(context).blocks_done, 0, sizeof(unsigned),
                                      cuda_common::stream_of(context)),
                      "setting the count of finished blocks to 0");
}

// y[0] = the sum of x[0] … x[n − 1]. After prepare_vectorised().
inline void sum_vectorised(assay::Context& context, const float* x, std::int64_t n, float* y) {
  launch_sum<threads, unroll, Load::plain>(x, n, y, handover_of(context), Shape{},
                                           cuda_common::stream_of(context));
}

}  // namespace reduction_cuda
