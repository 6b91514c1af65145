// SPDX-License-Identifier: MIT
#include <assay/assay.hpp>
#include <vector>

#include "sums.hpp"

#if !defined(ASSAY_ALIGNED) || !defined(ASSAY_BUILD_FLAGS)
#error "assay_add_program says how it compiled"
#endif
static_assert(sizeof(ASSAY_BUILD_FLAGS) > sizeof("-falign-functions=64"), "the flags are recorded");

int main(int argc, char** argv) {
  const std::vector<double> x(1024, 1.0);
  assay::Program program;
  auto& sum = program.problem("sum").unchecked();
  sum.subject("forward", [&] { return sum_forward(x); });
  sum.subject("backward", [&] { return sum_backward(x); });
  return assay::main(argc, argv, program);
}
