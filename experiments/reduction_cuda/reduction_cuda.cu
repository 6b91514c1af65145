// SPDX-License-Identifier: MIT
//
// The sum of n floats on a GPU, computed in four ways.
#include <algorithm>
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"
#include "reduction_cuda/sum_cub.hpp"

namespace {

using cuda_common::expect;
using cuda_common::expect_launched;
using cuda_common::stream_of;

__global__ void add_each(const float* __restrict__ x, std::int64_t n, float* y) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}

// One atomic addition for each element, all to the same address.
void sum_by_atomics(assay::Context& context) {
  const auto x = context.input<float>(0);
  const auto y = context.output<float>(0);
  const cudaStream_t stream = stream_of(context);
  expect(cudaMemsetAsync(y.data(), 0, sizeof(float), stream), "setting the sum to 0");
  constexpr int block = 256;
  add_each<<<static_cast<unsigned>(cuda_common::blocks_for(x.size(), block)), block, 0, stream>>>(
      x.data(), x.size(), y.data());
  expect_launched("launching add_each");
}

constexpr int tree_threads = 256;
constexpr int tree_blocks_per_multiprocessor = 8;

__global__ void __launch_bounds__(tree_threads)
    sum_each_block(const float* __restrict__ x, std::int64_t n, float* __restrict__ partial) {
  __shared__ float shared[32];
  float total = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * tree_threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * tree_threads + threadIdx.x; i < n;
       i += step)
    total += x[i];
  total = reduction_cuda::sum_of_block<tree_threads>(total, shared);
  if (threadIdx.x == 0) partial[blockIdx.x] = total;
}

// The textbook's tree: threads to warps to blocks, and a second launch for what the blocks left.
// One element a load, one accumulator a thread.
void sum_hierarchically(assay::Context& context) {
  const auto x = context.input<float>(0);
  const auto y = context.output<float>(0);
  const cudaStream_t stream = stream_of(context);
  const std::int64_t most =
      std::int64_t{cuda_common::multiprocessors()} * tree_blocks_per_multiprocessor;
  const std::int64_t blocks = std::min(most, cuda_common::blocks_for(x.size(), tree_threads));
  float* partial = context.scratch<float>("partial", static_cast<std::size_t>(most));
  sum_each_block<<<static_cast<unsigned>(blocks), tree_threads, 0, stream>>>(x.data(), x.size(),
                                                                             partial);
  sum_each_block<<<1, tree_threads, 0, stream>>>(partial, blocks, y.data());
  expect_launched("launching sum_each_block");
}

void sum_vectorised(assay::Context& context) {
  const auto x = context.input<float>(0);
  reduction_cuda::sum_vectorised(context, x.data(), x.size(), context.output<float>(0).data());
}

// How much temporary memory CUB wants depends on n; asking for it takes longer than launching.
using TemporaryBytes = std::map<std::int64_t, std::size_t>;

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sum = program.problem("sum-reduction");
  std::vector<assay::AxisValue> lengths;
  for (const std::int64_t n : {1 << 20, (1 << 24) - 1, 1 << 24, 1 << 26, (1 << 26) + 3})
    lengths.emplace_back(n);
  sum.axis("n", assay::AxisValues(lengths).is_size().may_be_empty());
  reduction::declare_sum(sum);

  sum.subject("hierarchical", sum_hierarchically)
      .parameter("threads", std::to_string(tree_threads))
      .parameter("blocks-per-multiprocessor", std::to_string(tree_blocks_per_multiprocessor));
  // Beyond this a call takes tens of milliseconds, and there is nothing left to learn.
  sum.subject("atomics", sum_by_atomics).supports([](const assay::Case& c) {
    return c.integer("n") <= (1 << 24);
  });
  sum.subject("vectorised", sum_vectorised)
      .prepare(reduction_cuda::prepare_vectorised, 1'000'000)
      .parameter("threads", std::to_string(reduction_cuda::threads))
      .parameter("unroll", std::to_string(reduction_cuda::unroll))
      .parameter("blocks-per-multiprocessor",
                 std::to_string(reduction_cuda::Shape{}.blocks_per_multiprocessor));

  auto temporary_bytes = std::make_shared<TemporaryBytes>();
  sum.subject("cub",
              [temporary_bytes](assay::Context& context) {
                const auto x = context.input<float>(0);
                const std::size_t bytes = temporary_bytes->at(x.size());
                reduction_cuda::sum_cub(context.scratch_bytes("temporary", bytes), bytes, x.data(),
                                        x.size(), context.output<float>(0).data(),
                                        stream_of(context));
              })
      .prepare(
          [temporary_bytes](assay::Context& context) {
            const std::int64_t n = context.input<float>(0).size();
            const std::size_t bytes = reduction_cuda::cub_temporary_bytes(n);
            (*temporary_bytes)[n] = bytes;
            context.scratch_bytes("temporary", bytes);
          },
          1'000'000)
      .parameter("version", reduction_cuda::cub_version());
  return assay::main(argc, argv, program);
}
