// SPDX-License-Identifier: MIT
//
// A against A on a GPU: one kernel under two names, at sizes below, around and above the
// second-level cache. Whatever differs is an error of the measurement.
//
// "reduce" and "copy" touch the very same memory under both names. In "own-scratch" each subject
// of the reduction hands over by scratch memory of its own, as subjects usually do: where that lies
// is chance, anew in every trial, and part of the time.
#include <assay/assay.hpp>
#include <cstdint>

#include "copies.cuh"
#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"

namespace {

using reduction_cuda::Handover;

void reduce(assay::Context& context, const Handover& handover) {
  const auto x = context.input<float>(0);
  reduction_cuda::launch_sum<reduction_cuda::threads, reduction_cuda::unroll,
                             reduction_cuda::Load::plain>(
      x.data(), x.size(), context.output<float>(0).data(), handover, reduction_cuda::Shape{},
      cuda_common::stream_of(context));
}

// For both names, and for as long as the process lives: it ends with the device's context.
const Handover& shared_handover() {
  static const Handover handover = [] {
    Handover made{};
    const auto most = static_cast<std::size_t>(cuda_common::multiprocessors() *
                                               reduction_cuda::Shape{}.blocks_per_multiprocessor);
    cuda_common::expect(cudaMalloc(&made.partial, most * sizeof(float)), "memory for sums");
    cuda_common::expect(cudaMalloc(&made.blocks_done, sizeof(unsigned)), "memory for a count");
    cuda_common::expect(cudaMemset(made.blocks_done, 0, sizeof(unsigned)), "setting it to 0");
    return made;
  }();
  return handover;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* names[] = {"a", "a2"};
  assay::Program program;
  auto& sums = program.problem("reduce");
  sums.axis("mib", {4, 16, 64, 256});
  reduction::declare_sum(sums, gpu_bench::floats);
  for (const char* name : names) {
    sums.subject(name, [](assay::Context& context) { reduce(context, shared_handover()); })
        .prepare([](assay::Context&) { shared_handover(); }, 1'000'000);
  }

  auto& apart = program.problem("own-scratch");
  apart.axis("mib", {4, 16, 64, 256});
  reduction::declare_sum(apart, gpu_bench::floats);
  for (const char* name : names) {
    apart
        .subject(
            name,
            [](assay::Context& context) { reduce(context, reduction_cuda::handover_of(context)); })
        .prepare(reduction_cuda::prepare_vectorised, 1'000'000);
  }

  auto& copies = gpu_bench::declare_copies(program);
  for (const char* name : names) copies.subject(name, gpu_bench::copy);
  return assay::main(argc, argv, program);
}
