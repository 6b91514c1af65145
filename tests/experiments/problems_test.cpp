// SPDX-License-Identifier: MIT
//
// What the experiments call right, on numbers small enough to do by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "add_rmsnorm/norm_problem.hpp"
#include "reduction/sum_problem.hpp"

namespace {

assay::Case matrix_case(std::int64_t rows, std::int64_t cols) {
  return assay::Case({{"dtype", std::string("bf16")}, {"rows", rows}, {"cols", cols}});
}

// One run of a problem's reference on the given inputs.
std::vector<assay::ReferenceCall::Named> run(const assay::Problem& problem, const assay::Case& at,
                                             const std::vector<std::vector<double>>& contents) {
  std::vector<assay::Tensor> tensors;
  tensors.reserve(16);
  std::vector<assay::ReferenceCall::Named> inputs;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const assay::InputSpec& spec = problem.contract().inputs.at(i);
    tensors.push_back(spec.tensor(at));
    inputs.push_back({spec.name, &tensors.back(), contents[i], {}});
  }
  std::vector<assay::ReferenceCall::Named> outputs;
  for (const assay::OutputSpec& spec : problem.contract().outputs) {
    tensors.push_back(spec.tensor(at));
    const auto count = static_cast<std::size_t>(tensors.back().element_count());
    outputs.push_back({spec.name, &tensors.back(), std::vector<double>(count), {}});
  }
  assay::ReferenceCall call(at, std::move(inputs), std::move(outputs));
  problem.contract().reference(call);
  return call.take_outputs();
}

TEST(SumProblem, AddsUpWhateverTheAxisIsCalled) {
  assay::Program program;
  assay::Problem& sum = program.problem("sum");
  reduction::declare_sum(
      sum, +[](const assay::Case& c) { return 2 * c.integer("pairs"); });
  const assay::Case at({{"pairs", std::int64_t{2}}});
  const auto outputs = run(sum, at, {{1e16, 1, -1e16, 1}});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].elements.at(0), 2.0);
  EXPECT_EQ(sum.contract().work(at).bytes_read, 16.0);
}

TEST(NormProblem, HasTheSumAsAnOutputWhereAsked) {
  assay::Program program;
  assay::Problem& without = program.problem("without");
  add_rmsnorm::declare_add_rmsnorm(without, false);
  EXPECT_EQ(without.contract().outputs.size(), 1U);

  assay::Problem& with = program.problem("with");
  add_rmsnorm::declare_add_rmsnorm(with, true);
  const auto outputs = run(with, matrix_case(2, 2), {{1, 2, 0, 0}, {2, 2, 0, 1}, {1, 2}});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[1].name, "s");
  EXPECT_EQ(outputs[1].elements, (std::vector<double>{3, 4, 0, 1}));
  // Rows (3, 4) and (0, 1): mean squares 12.5 and 0.5.
  EXPECT_NEAR(outputs[0].elements[0], 3 / std::sqrt(12.5), 1e-6);
  EXPECT_NEAR(outputs[0].elements[1], 2 * 4 / std::sqrt(12.5), 1e-6);
  EXPECT_EQ(outputs[0].elements[2], 0.0);
  EXPECT_NEAR(outputs[0].elements[3], 2 / std::sqrt(0.5), 1e-5);
}

TEST(NormProblem, CountsTheMatricesThatAreMoved) {
  const assay::Work work = add_rmsnorm::moving(3, 2)(matrix_case(4, 8));
  EXPECT_EQ(work.bytes_read, 2.0 * (3 * 32 + 8));
  EXPECT_EQ(work.bytes_written, 2.0 * 2 * 32);
}

}  // namespace
