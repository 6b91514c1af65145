// SPDX-License-Identifier: MIT
//
// Two subjects of one source: the same loop, inlined into two functions under two names. What the
// compiler makes of them is the same as well, but it lies in two places, and the place has an
// effect of its own. bench/layout/layout.py counts what is said of them.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>

namespace {

inline __attribute__((always_inline)) float sum(const float* x, std::int64_t n) {
  float total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

// Quarter by quarter, each with its own copy of the loop: compilers align some loops and not
// others, and of four there is nearly always one that they leave where it falls.
inline __attribute__((always_inline)) void store_sum(assay::Context& context) {
  const auto x = context.input<float>(0);
  const std::int64_t n = x.size() / 4;
  const float first = sum(x.data(), n);
  const float second = sum(x.data() + n, n);
  const float third = sum(x.data() + 2 * n, n);
  const float fourth = sum(x.data() + 3 * n, n);
  context.output<float>(0)[0] = (first + second) + (third + fourth);
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

// External, and out of line: two symbols, which the driver looks for.
extern "C" {
__attribute__((noinline)) void bench_sum_first(assay::Context& context) { store_sum(context); }
__attribute__((noinline)) void bench_sum_second(assay::Context& context) { store_sum(context); }
}

int main(int argc, char** argv) {
  assay::Program program;
  auto& problem = program.problem("sum");
  problem.axis("n", {65536});
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference);
  // n · u: what the plain loop may lose.
  problem.tolerance(assay::Tolerance::relative(65536 * 0x1p-24).scaled_by_sum_of_magnitudes());
  problem.subject("first", bench_sum_first);
  problem.subject("second", bench_sum_second);
  return assay::main(argc, argv, program);
}
