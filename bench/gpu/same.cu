// SPDX-License-Identifier: MIT
//
// A against A on a GPU: one kernel under two names, at sizes below, around and above the
// second-level cache. Whatever differs is an error of the measurement.
#include <assay/assay.hpp>
#include <cstdint>

#include "cuda_common/copy.cuh"
#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"

namespace {

std::int64_t floats(const assay::Case& c) { return c.integer("mib") * (1 << 20) / 4; }

void reduce(assay::Context& context) {
  const auto x = context.input<float>(0);
  reduction_cuda::sum_vectorised(context, x.data(), x.size(), context.output<float>(0).data());
}

void copy(assay::Context& context) {
  const auto x = context.input<float>(0);
  cuda_common::copy(x.data(), context.output<float>(0).data(), x.size(),
                    cuda_common::stream_of(context));
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sums = program.problem("reduce");
  sums.axis("mib", {4, 16, 64, 256});
  reduction::declare_sum(sums, floats);
  for (const char* name : {"a", "a2"})
    sums.subject(name, reduce).prepare(reduction_cuda::prepare_vectorised, 1'000'000);

  auto& copies = program.problem("copy");
  copies.axis("mib", {4, 16, 64, 256});
  const auto array = [](const assay::Case& c) { return assay::Tensor::f32({floats(c)}); };
  copies.input("x", array);
  copies.output("y", array);
  copies.reference([](assay::ReferenceCall& call) { call.output("y") = call.input("x"); });
  copies.tolerance(assay::Tolerance::exact());
  for (const char* name : {"a", "a2"}) copies.subject(name, copy);
  return assay::main(argc, argv, program);
}
