// SPDX-License-Identifier: MIT
//
// Two subjects of one source: the same loop, inlined into two functions under two names. What the
// compiler makes of them is the same as well, but it lies in two places, and the place has an
// effect of its own. bench/layout/layout.py counts what is said of them.
//
// Compilers align some loops and leave others where they fall, depending on the bytes before them.
// So there are sixteen such pairs: the axis "shape" is the number of instructions that do nothing
// before the loop.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

namespace {

constexpr int shapes = 16;

template <int count>
inline __attribute__((always_inline)) void do_nothing() {
  if constexpr (count > 0) {
    asm volatile("nop");
    do_nothing<count - 1>();
  }
}

// `subject` is not used: it makes two functions of one source.
template <int subject, int shape>
__attribute__((noinline)) void store_sum(assay::Context& context) {
  const auto x = context.input<float>(0);
  const float* data = x.data();
  const std::int64_t n = x.size();
  do_nothing<shape>();
  float total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += data[i];
  context.output<float>(0)[0] = total;
}

template <int subject>
class Sum {
 public:
  void operator()(assay::Context& context) const {
    call(context, std::make_integer_sequence<int, shapes>{});
  }

 private:
  template <int... shape>
  static void call(assay::Context& context, std::integer_sequence<int, shape...>) {
    constexpr void (*functions[])(assay::Context&) = {store_sum<subject, shape>...};
    functions[context.integer("shape")](context);
  }
};

bool is_a_shape(const assay::Case& c) {
  return c.integer("shape") >= 0 && c.integer("shape") < shapes;
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
  auto& problem = program.problem("sum");
  problem.axis("n", {65536});
  problem.axis("shape", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference);
  // n · u: what the plain loop may lose.
  problem.tolerance(assay::Tolerance::relative(65536 * 0x1p-24).scaled_by_sum_of_magnitudes());
  problem.subject("first", Sum<1>{}).supports(is_a_shape);
  problem.subject("second", Sum<2>{}).supports(is_a_shape);
  return assay::main(argc, argv, program);
}
