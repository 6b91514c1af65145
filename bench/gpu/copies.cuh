// SPDX-License-Identifier: MIT
//
// The copies that the benches on a GPU measure: 4 to 256 MiB.
#pragma once

#include <assay/assay.hpp>
#include <cstdint>

#include "cuda_common/copy.cuh"
#include "cuda_common/launch.cuh"

namespace gpu_bench {

inline std::int64_t floats(const assay::Case& c) { return c.integer("mib") * (1 << 20) / 4; }

inline void copy(assay::Context& context) {
  const auto x = context.input<float>(0);
  cuda_common::copy(x.data(), context.output<float>(0).data(), x.size(),
                    cuda_common::stream_of(context));
}

// A problem without subjects.
inline assay::Problem& declare_copies(assay::Program& program) {
  auto& copies = program.problem("copy");
  copies.axis("mib", {4, 16, 64, 256});
  const auto array = [](const assay::Case& c) { return assay::Tensor::f32({floats(c)}); };
  copies.input("x", array);
  copies.output("y", array);
  copies.reference([](assay::ReferenceCall& call) { call.output("y") = call.input("x"); });
  copies.tolerance(assay::Tolerance::exact());
  return copies;
}

}  // namespace gpu_bench
