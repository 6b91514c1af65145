// SPDX-License-Identifier: MIT
//
// A sum that takes the GPU's time when its first block begins and when its last one ends: the truth
// about a cold reduction from inside, to set beside what a timer says.
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda_common/launch.cuh"
#include "reduction/sum_problem.hpp"
#include "reduction_cuda/sum.cuh"
#include "truth.cuh"

namespace {

using reduction_cuda::Handover;
using reduction_cuda::InKernel;
using reduction_cuda::Load;

std::int64_t floats(const assay::Case& c) { return c.integer("mib") * (1 << 20) / 4; }

}  // namespace

int main(int argc, char** argv) {
  auto log = std::make_shared<truth::Log>();
  assay::Program program;
  auto& sum = program.problem("span");
  sum.axis("mib", {4, 64, 256});
  reduction::declare_sum(sum, floats);
  sum.subject("reduce",
              [log](assay::Context& context) {
                const auto x = context.input<float>(0);
                Handover handover = reduction_cuda::handover_of(context, true);
                handover.in_kernel = log->next("reduce", context.integer("mib"));
                // Kept somewhere in any case, so that the kernel does the same with and without a
                // log.
                if (handover.in_kernel == nullptr)
                  handover.in_kernel = context.scratch<InKernel>("in-kernel", 1);
                reduction_cuda::launch_sum<reduction_cuda::threads, reduction_cuda::unroll,
                                           Load::plain, true>(
                    x.data(), x.size(), context.output<float>(0).data(), handover,
                    reduction_cuda::Shape{}, cuda_common::stream_of(context));
              })
      .prepare(
          [log](assay::Context& context) {
            reduction_cuda::prepare_vectorised(context);
            reduction_cuda::handover_of(context, true);
            context.scratch<InKernel>("in-kernel", 1);
            log->make_ready();
          },
          1'000'000);
  const int status = assay::main(argc, argv, program);
  log->save();
  return status;
}
