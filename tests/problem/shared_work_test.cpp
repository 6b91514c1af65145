// SPDX-License-Identifier: MIT
//
// A helpers changes how long work on large tensors takes, and nothing else.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "assay/base/helpers.hpp"
#include "assay/problem/compare.hpp"
#include "assay/problem/content.hpp"
#include "assay/problem/gate_power.hpp"
#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;

// Large enough to be shared, dense and with gaps.
std::vector<Tensor> large_tensors(const DType& dtype) {
  std::vector<Tensor> tensors;
  tensors.emplace_back(dtype, Shape{700'001});
  tensors.push_back(Tensor(dtype, {701, 1000}).strides({1003, 1}));
  tensors.push_back(Tensor(dtype, {701, 1000}).strides({1, 701}));
  return tensors;
}

TEST(SharedWork, GivesTheSameContent) {
  const Helpers helpers = Helpers::of_threads(5);
  for (const char* name : {"f32", "bf16", "i64", "fp8_e4m3"}) {
    for (const Tensor& tensor : large_tensors(*find_dtype(name))) {
      Buffer alone(tensor);
      Buffer together(tensor);
      fill(tensor, 42, alone.payload());
      fill(tensor, 42, together.payload(), helpers);
      ASSERT_EQ(together.bytes, alone.bytes) << name;

      InputSpec spec;
      spec.name = "x";
      spec.tensor = [&](const Case&) { return tensor; };
      const std::int64_t whole = tensor.element_count();
      const Window window = renew(spec, Case(), tensor, 43, alone.payload(), whole);
      EXPECT_EQ(renew(spec, Case(), tensor, 43, together.payload(), whole, helpers).first,
                window.first);
      ASSERT_EQ(together.bytes, alone.bytes) << name;

      const std::vector<double> elements = to_doubles(tensor, alone.payload());
      ASSERT_EQ(to_doubles(tensor, alone.payload(), helpers), elements);
      Buffer again(tensor);
      from_doubles(tensor, elements, again.payload(), helpers);
      ASSERT_EQ(again.bytes, alone.bytes) << name;
      EXPECT_EQ(content_hash(tensor, alone.payload(), helpers),
                content_hash(tensor, alone.payload()));
    }
  }
}

TEST(SharedWork, HashSeesOneElementInAnyPart) {
  const Tensor tensor(dtype_of<float>(), {1'000'003});
  Buffer buffer(tensor);
  fill(tensor, 7, buffer.payload());
  const Helpers helpers = Helpers::of_threads(3);
  const std::uint64_t before = content_hash(tensor, buffer.payload(), helpers);
  for (const std::int64_t index : {0, 262'143, 262'144, 500'000, 1'000'002}) {
    const double value = buffer.value(index);
    buffer.set(index, value + 1);
    EXPECT_NE(content_hash(tensor, buffer.payload(), helpers), before) << index;
    buffer.set(index, value);
  }
  EXPECT_EQ(content_hash(tensor, buffer.payload(), helpers), before);
}

void expect_same(const OutputComparison& a, const OutputComparison& b) {
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.mismatches, b.mismatches);
  EXPECT_EQ(a.first_mismatch.has_value(), b.first_mismatch.has_value());
  if (a.first_mismatch && b.first_mismatch) {
    EXPECT_EQ(a.first_mismatch->index, b.first_mismatch->index);
  }
  EXPECT_EQ(*a.largest_absolute_error, *b.largest_absolute_error);
  EXPECT_EQ(*a.largest_relative_error, *b.largest_relative_error);
  EXPECT_EQ(*a.largest_error_over_bound, *b.largest_error_over_bound);
  EXPECT_EQ(a.nonfinite_got, b.nonfinite_got);
  EXPECT_EQ(a.unwritten, b.unwritten);
  EXPECT_EQ(a.reason, b.reason);
}

TEST(SharedWork, ComparesAlikeAndNamesTheFirstMismatch) {
  for (const Tensor& tensor : large_tensors(dtype_of<float>())) {
    Buffer buffer(tensor, 9);
    fill(tensor, 3, buffer.payload());
    const std::vector<double> expected = to_doubles(tensor, buffer.payload());
    const std::vector<std::byte> poisoned = poison_element(tensor.dtype(), 9);
    buffer.set(699'000, std::nan(""));
    buffer.set(350'000, expected[350'000] + 1);
    buffer.set(123'456, expected[123'456] + 2);
    std::memcpy(buffer.element(500'000), poisoned.data(), poisoned.size());
    ComparisonOptions options;
    options.poison_key = 9;
    const auto compare = [&] {
      return compare_output("y", tensor, buffer.payload(), expected, {}, Tolerance::relative(1e-6),
                            {}, options);
    };
    const OutputComparison alone = compare();
    options.helpers = Helpers::of_threads(7);
    const OutputComparison together = compare();
    expect_same(alone, together);
    EXPECT_EQ(together.mismatches, 4);
    EXPECT_EQ(together.first_mismatch->index, 123'456);
    EXPECT_EQ(together.unwritten, 1);
  }
}

TEST(SharedWork, JudgesMutantsAlike) {
  const Tensor tensor(dtype_of<float>(), {400'000});
  Buffer x(tensor);
  fill(tensor, 1, x.payload());
  Contract contract;
  contract.problem = "scale";
  InputSpec input;
  input.name = "x";
  input.tensor = [&](const Case&) { return tensor; };
  contract.inputs.push_back(input);
  contract.outputs.push_back({"y", [&](const Case&) { return tensor; }});
  contract.tolerance = Tolerance::relative(1e-6);
  const ExpectedOutput expected{"y", tensor, std::vector<double>(400'000, 0.5), {}, {}, {}};
  Buffer y(tensor, expected.elements);
  const std::vector<InputContent> inputs = {{&tensor, x.payload()}};
  const auto alone = gate_power(contract, inputs, expected, y.payload(), 5);
  const auto together =
      gate_power(contract, inputs, expected, y.payload(), 5, Helpers::of_threads(4));
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(together[i].mutant, alone[i].mutant);
    EXPECT_EQ(together[i].caught, alone[i].caught);
    EXPECT_EQ(together[i].differs_from_reference, alone[i].differs_from_reference);
    EXPECT_TRUE(together[i].caught) << together[i].mutant;
  }
}

// Neither is promised to stand several threads.
TEST(SharedWork, AsksAUsersGeneratorAndElementTypeByOneThread) {
  const Helpers helpers = Helpers::of_threads(4);
  static std::atomic<int> elsewhere = 0;
  static std::thread::id here;
  here = std::this_thread::get_id();
  const auto look = [] { elsewhere += std::this_thread::get_id() == here ? 0 : 1; };

  Tensor generated(dtype_of<float>(), {500'000});
  generated.generator(Generator::custom("counting", [look](std::uint64_t, std::uint64_t index) {
    look();
    return static_cast<double>(index);
  }));
  Buffer first(generated);
  fill(generated, 1, first.payload(), helpers);
  EXPECT_EQ(first.value(499'999), 499'999);

  DType own = dtype_of<float>();
  own.name = "own";
  own.to_double = [](const void* element) {
    elsewhere += std::this_thread::get_id() == here ? 0 : 1;
    return static_cast<double>(*static_cast<const float*>(element));
  };
  own.from_double = [](double value, void* element) {
    elsewhere += std::this_thread::get_id() == here ? 0 : 1;
    *static_cast<float*>(element) = static_cast<float>(value);
  };
  const Tensor odd(own, {500'000});
  Buffer second(odd);
  fill(odd, 1, second.payload(), helpers);
  to_doubles(odd, second.payload(), helpers);
  EXPECT_EQ(elsewhere, 0);
}

}  // namespace
}  // namespace assay
