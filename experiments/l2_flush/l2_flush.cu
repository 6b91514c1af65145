// SPDX-License-Identifier: MIT
//
// Two subjects of one and the same code, measured after different ways to empty the second-level
// cache: by reading, which leaves lines that can be dropped, and by writing, which leaves lines
// that must be written back first. What differs between them is the flush.
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>

#include "cuda_common/copy.cuh"
#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"

namespace {

std::int64_t floats(const assay::Case& c) { return c.integer("mib") * (1 << 20) / 4; }

assay::Tensor array(const assay::Case& c) { return assay::Tensor::f32({floats(c)}); }

void reduce(assay::Context& context) {
  const auto x = context.input<float>(0);
  reduction_cuda::sum_vectorised(context, x.data(), x.size(), context.output<float>(0).data());
}

void copy(assay::Context& context) {
  const auto x = context.input<float>(0);
  cuda_common::copy(x.data(), context.output<float>(0).data(), x.size(),
                    cuda_common::stream_of(context));
}

void declare_copy(assay::Problem& problem) {
  problem.input("x", array);
  problem.output("y", array);
  problem.reference([](assay::ReferenceCall& call) { call.output("y") = call.input("x"); });
  problem.tolerance(assay::Tolerance::exact());
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  special.subnormal = assay::SpecialValues::Subnormal::exact;
  problem.special_values(special);
  problem.work([](const assay::Case& c) {
    assay::Work work;
    work.bytes_read = 4 * static_cast<double>(floats(c));
    work.bytes_written = work.bytes_read;
    work.items = static_cast<double>(floats(c));
    work.item_name = "elements";
    return work;
  });
}

// The state is the intervention: the second subject runs in one of its own.
template <typename Declare>
void measure_both(assay::Problem& problem, Declare with_code) {
  problem.axis("mib", {4, 64, 256});
  with_code(problem, "after-clean-eviction");
  with_code(problem, "after-write-flush").in_state("write-flush");
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sums = program.problem("reduce");
  reduction::declare_sum(sums, floats);
  measure_both(sums, [](assay::Problem& problem, const char* name) -> assay::Subject& {
    return problem.subject(name, reduce).prepare(reduction_cuda::prepare_vectorised, 1'000'000);
  });
  auto& copies = program.problem("copy");
  declare_copy(copies);
  measure_both(copies, [](assay::Problem& problem, const char* name) -> assay::Subject& {
    return problem.subject(name, copy);
  });
  return assay::main(argc, argv, program);
}
