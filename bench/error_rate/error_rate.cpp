// SPDX-License-Identifier: MIT
//
// Three subjects of which the truth is known: "a" and "a2" are one function under two names, "b"
// adds up a twentieth of the array a second time. bench/error_rate.py counts what is said of them.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>

namespace {

// Kept out of line, so that all subjects run the same instructions at the same place.
__attribute__((noinline)) float sum(const float* x, std::int64_t n) {
  float total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

__attribute__((noinline)) void store_sum(assay::Context& context) {
  const auto x = context.input<float>(0);
  context.output<float>(0)[0] = sum(x.data(), x.size());
}

__attribute__((noinline)) void store_sum_and_a_twentieth(assay::Context& context) {
  const auto x = context.input<float>(0);
  assay::do_not_optimize(sum(x.data(), x.size() / 20));
  store_sum(context);
}

void reference(assay::ReferenceCall& call) {
  double total = 0;
  double magnitudes = 0;
  for (const double value : call.input("x")) {
    total += value;
    magnitudes += std::fabs(value);
  }
  call.output("y")[0] = total;
  call.magnitude("y")[0] = magnitudes;
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& problem = program.problem("known-difference");
  problem.axis("n", {65536});
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference);
  // n · u: what the plain loop may lose.
  problem.tolerance(assay::Tolerance::relative(65536 * 0x1p-24).scaled_by_sum_of_magnitudes());
  problem.subject("a", store_sum);
  problem.subject("a2", store_sum);
  problem.subject("b", store_sum_and_a_twentieth);
  return assay::main(argc, argv, program);
}
