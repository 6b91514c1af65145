// SPDX-License-Identifier: MIT
//
// Kernels that last as long as they are told to: one thread watches the GPU's clock. "timer" shows
// what a timer adds to a known time; "power" has a difference of exactly one hundredth to find, and
// none at all between "a" and "a2".
#include <assay/assay.hpp>
#include <cstdint>
#include <memory>

#include "cuda_common/launch.cuh"
#include "truth.cuh"

namespace {

using reduction_cuda::InKernel;

// In-kernel time is at least `ns`, and above it by less than one step of the clock and one round of
// the loop. elapsed and kept may be null.
__global__ void spin(std::uint64_t ns, std::int64_t* elapsed, InKernel* kept) {
  const std::uint64_t start = reduction_cuda::global_ns();
  std::uint64_t now = start;
  while (now - start < ns) now = reduction_cuda::global_ns();
  if (elapsed != nullptr) *elapsed = static_cast<std::int64_t>(now - start);
  if (kept != nullptr) *kept = {start, now};
}

__global__ void empty() {}

void launch(assay::Context& context, truth::Log& log, const char* subject, std::int64_t ns,
            std::int64_t* elapsed) {
  spin<<<1, 1, 0, cuda_common::stream_of(context)>>>(static_cast<std::uint64_t>(ns), elapsed,
                                                     log.next(subject, ns));
  cuda_common::expect_launched("launching spin");
}

}  // namespace

int main(int argc, char** argv) {
  auto log = std::make_shared<truth::Log>();
  const auto make_ready = [log](assay::Context&) { log->make_ready(); };
  assay::Program program;

  auto& nothing = program.problem("empty").unchecked();
  nothing.subject("empty", [](assay::Context& context) {
    empty<<<1, 1, 0, cuda_common::stream_of(context)>>>();
    cuda_common::expect_launched("launching empty");
  });

  // In place of a check: the output is the time that the kernel saw, and is not the same twice.
  auto& timer = program.problem("timer").unchecked();
  timer.axis("ns", {0, 2'000, 5'000, 10'000, 30'000, 100'000, 1'000'000});
  timer.output("elapsed_ns", [](const assay::Case&) { return assay::Tensor::i64({1}); });
  timer
      .subject("spin",
               [log](assay::Context& context) {
                 launch(context, *log, "spin", context.integer("ns"),
                        context.output<std::int64_t>(0).data());
               })
      .prepare(make_ready, 1'000'000);

  auto& power = program.problem("power").unchecked();
  power.axis("ns", {10'000, 30'000, 100'000});
  // Cells of one duration beside each other: repeats within one experiment.
  power.axis("repeat", {1});
  power.output("elapsed_ns", [](const assay::Case&) { return assay::Tensor::i64({1}); });
  for (const char* name : {"a", "a2"}) {
    power
        .subject(name,
                 [log, name](assay::Context& context) {
                   launch(context, *log, name, context.integer("ns"),
                          context.output<std::int64_t>(0).data());
                 })
        .prepare(make_ready, 1'000'000);
  }
  power
      .subject("b",
               [log](assay::Context& context) {
                 launch(context, *log, "b", context.integer("ns") * 101 / 100,
                        context.output<std::int64_t>(0).data());
               })
      .prepare(make_ready, 1'000'000);

  const int status = assay::main(argc, argv, program);
  log->save();
  return status;
}
