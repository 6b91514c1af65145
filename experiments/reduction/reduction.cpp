// SPDX-License-Identifier: MIT
//
// The sum of n floats, computed in four ways.
#include <assay/assay.hpp>
#include <cstdint>
#include <memory>

#include "sum.hpp"
#include "sum_problem.hpp"
#include "thread_pool.hpp"

namespace {

// Gives a subject that stores the sum of its input.
template <typename Sum>
auto storing(Sum sum) {
  return [sum](assay::Context& context) {
    const auto x = context.input<float>(0);
    context.output<float>(0)[0] = sum(x.data(), x.size());
  };
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sum = program.problem("sum-reduction");
  sum.axis("n", assay::pow2(10, 24).with_tails().may_be_empty());
  reduction::declare_sum(sum);

  sum.subject("naive", storing(reduction::sum_naive));
  sum.subject("pairwise", storing(reduction::sum_pairwise)).parameter("block", "64");
  sum.subject("vectorised", storing(reduction::sum_vectorised))
      .parameter("accumulators", "8")
      .parameter("instruction-set", reduction::vector_target());

  // The pool outlives the calls: a program that adds up arrays all day keeps its threads too.
  auto pool = std::make_shared<std::unique_ptr<reduction::ThreadPool>>();
  sum.subject("threaded", storing([pool](const float* x, std::int64_t n) {
                return reduction::sum_threaded(**pool, x, n);
              }))
      .prepare(
          [pool](assay::Context& context) {
            if (*pool == nullptr || (*pool)->size() != context.threads())
              *pool = std::make_unique<reduction::ThreadPool>(context.threads());
          },
          1'000'000)
      .threads(assay::all_cores)
      .supports([](const assay::Case& c) { return c.integer("n") >= 65536; });
  return assay::main(argc, argv, program);
}
