// SPDX-License-Identifier: MIT
//
// Sixteen states of the kinds that NVBench's own examples measure: a kernel that does nothing, ones
// that spin for a known time, copies and reductions. For the time that a whole suite takes.
#include <assay/assay.hpp>
#include <cstdint>

#include "copies.cuh"
#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"

namespace {

__global__ void noop() {}

__global__ void spin(std::uint64_t ns) {
  const std::uint64_t start = reduction_cuda::global_ns();
  while (reduction_cuda::global_ns() - start < ns) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  program.problem("noop").unchecked().subject("kernel", [](assay::Context& context) {
    noop<<<1, 1, 0, cuda_common::stream_of(context)>>>();
    cuda_common::expect_launched("launching noop");
  });

  auto& spins = program.problem("spin").unchecked();
  spins.axis("ns", {2'000, 5'000, 10'000, 30'000, 100'000, 300'000, 1'000'000});
  spins.subject("kernel", [](assay::Context& context) {
    spin<<<1, 1, 0, cuda_common::stream_of(context)>>>(
        static_cast<std::uint64_t>(context.integer("ns")));
    cuda_common::expect_launched("launching spin");
  });

  auto& copies = gpu_bench::declare_copies(program);
  copies.subject("kernel", gpu_bench::copy);

  auto& sums = program.problem("reduce");
  sums.axis("mib", {4, 16, 64, 256});
  reduction::declare_sum(sums, gpu_bench::floats);
  sums.subject("kernel",
               [](assay::Context& context) {
                 const auto x = context.input<float>(0);
                 reduction_cuda::sum_vectorised(context, x.data(), x.size(),
                                                context.output<float>(0).data());
               })
      .prepare(reduction_cuda::prepare_vectorised, 1'000'000);
  return assay::main(argc, argv, program);
}
