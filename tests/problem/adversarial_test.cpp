// SPDX-License-Identifier: MIT
#include "assay/problem/adversarial.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;
using ::testing::Contains;
using ::testing::Not;

Contract sum_contract() {
  Contract made;
  made.problem = "sum";
  InputSpec x;
  x.name = "x";
  x.tensor = [](const Case& c) {
    return c.find("dtype") == nullptr ? Tensor::f32({c.integer("n")})
                                      : Tensor::of_type(c.text("dtype"), {c.integer("n")});
  };
  made.inputs = {x};
  made.outputs = {{"y", [](const Case&) { return Tensor::f32({}); }}};
  return made;
}

std::vector<std::string> names(const std::vector<AdversarialCase>& cases) {
  std::vector<std::string> list;
  for (const auto& made : cases) list.push_back(made.name);
  return list;
}

std::vector<AdversarialCase> cases_of(const Contract& contract, const std::vector<Axis>& axes,
                                      const AdversarialBudget& budget = {}) {
  return adversarial_cases(contract, axes, product(axes), budget);
}

const AdversarialCase& named(const std::vector<AdversarialCase>& cases, const std::string& name) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [&](const AdversarialCase& made) { return made.name == name; });
  EXPECT_NE(found, cases.end()) << name;
  return *found;
}

std::vector<double> content(const AdversarialCase& made, const InputSpec& spec) {
  Buffer buffer(made.input(spec));
  fill(buffer.tensor, 77, buffer.payload());
  return to_doubles(buffer.tensor, buffer.payload());
}

const std::vector<Axis> sizes = {{"n", pow2(10, 12)}};

TEST(AdversarialCases, HaveNamesOfTheirOwnAndAreDeterministic) {
  const std::vector<Axis> axes = {{"n", pow2(10, 12)}, {"dtype", {"f32", "bf16"}}};
  const auto first = names(cases_of(sum_contract(), axes));
  EXPECT_EQ(first, names(cases_of(sum_contract(), axes)));
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_THAT(first, Contains("content-large-f32"));
  EXPECT_THAT(first, Contains("content-large-bf16"));
  EXPECT_THAT(first, Contains("size-n-17-bf16"));
  EXPECT_THAT(first, Contains("misaligned-x-f32"));
  EXPECT_THAT(first, Contains("misaligned-y-f32"));
}

TEST(AdversarialCases, RunSizesThatAreNotMeasured) {
  const auto list = names(cases_of(sum_contract(), sizes));
  for (const char* name :
       {"size-n-1", "size-n-3", "size-n-33", "size-n-1023", "size-n-1025", "size-n-4097"}) {
    EXPECT_THAT(list, Contains(name));
  }
  for (const char* name : {"size-n-0", "size-n-1024", "size-n-4096"}) {
    EXPECT_THAT(list, Not(Contains(name)));
  }
}

TEST(AdversarialCases, RunTheEmptySizeOnlyWhereItIsDefined) {
  EXPECT_THAT(names(cases_of(sum_contract(), {{"n", pow2(10, 12).may_be_empty()}})),
              Contains("size-n-0"));
}

TEST(AdversarialCases, LeaveAxesAloneThatAreNoSizes) {
  for (const std::string& name : names(cases_of(sum_contract(), {{"n", {1024, 2048}}}))) {
    EXPECT_EQ(name.find("size-"), std::string::npos) << name;
  }
}

TEST(AdversarialCases, KeepOtherAxesAtTheirSmallestMeasuredValue) {
  Contract contract = sum_contract();
  const std::vector<Axis> axes = {{"rows", {8, 4}}, {"n", AxisValues({512, 64}).is_size()}};
  for (const auto& made : cases_of(contract, axes)) {
    if (made.name.rfind("size-n-", 0) == 0) {
      EXPECT_EQ(made.which.integer("rows"), 4);
    }
  }
  EXPECT_EQ(named(cases_of(contract, axes), "size-n-31").which.id(), "rows=4 n=31");
}

TEST(AdversarialCases, KeepTheBudget) {
  AdversarialBudget budget;
  budget.cases = 14;
  const auto few = names(cases_of(sum_contract(), sizes, budget));
  EXPECT_LE(few.size(), 14U);
  EXPECT_THAT(few, Contains("content-zeros"));
  budget.cases = 256;
  budget.elements = 200;
  EXPECT_THAT(names(cases_of(sum_contract(), sizes, budget)), Contains("size-n-129"));
  EXPECT_THAT(names(cases_of(sum_contract(), sizes, budget)), Not(Contains("size-n-255")));
}

TEST(AdversarialCases, RunSpecialValuesOnlyWhereTheyAreSpecified) {
  Contract contract = sum_contract();
  contract.special_values.subnormal = SpecialValues::Subnormal::unspecified;
  auto list = names(cases_of(contract, sizes));
  EXPECT_THAT(list, Not(Contains("content-nan")));
  EXPECT_THAT(list, Not(Contains("content-infinity")));
  EXPECT_THAT(list, Not(Contains("content-subnormal")));
  contract.special_values.subnormal = SpecialValues::Subnormal::exact;
  contract.special_values.non_finite = SpecialValues::NonFinite::propagate;
  list = names(cases_of(contract, sizes));
  EXPECT_THAT(list, Contains("content-nan"));
  EXPECT_THAT(list, Contains("content-infinity"));
  EXPECT_THAT(list, Contains("content-subnormal"));
}

TEST(AdversarialCases, MoveOneTensorByOneElement) {
  const auto list = cases_of(sum_contract(), sizes);
  const Contract contract = sum_contract();
  const AdversarialCase& x = named(list, "misaligned-x");
  EXPECT_EQ(x.input(contract.inputs[0]).misaligned_by(), 4U);
  EXPECT_EQ(x.output(contract.outputs[0]).misaligned_by(), 0U);
  const AdversarialCase& y = named(list, "misaligned-y");
  EXPECT_EQ(y.input(contract.inputs[0]).misaligned_by(), 0U);
  EXPECT_EQ(y.output(contract.outputs[0]).misaligned_by(), 4U);
}

TEST(AdversarialCases, LeaveIndicesParametersAndCustomContentAlone) {
  const std::vector<std::function<void(InputSpec&)>> promises = {
      [](InputSpec& spec) { spec.renewal = Renewal::mutate; },
      [](InputSpec& spec) {
        spec.tensor = [](const Case& c) { return Tensor::i32({c.integer("n")}); };
      },
      [](InputSpec& spec) {
        spec.tensor = [](const Case&) {
          return Tensor::f32({}).generator(Generator::constant(1e-6));
        };
      },
      [](InputSpec& spec) {
        spec.tensor = [](const Case& c) {
          return Tensor::f32({c.integer("n")})
              .generator(Generator::custom(
                  "sorted", [](std::uint64_t, std::uint64_t i) { return static_cast<double>(i); }));
        };
      }};
  for (const auto& promise : promises) {
    Contract contract = sum_contract();
    promise(contract.inputs[0]);
    for (const std::string& name : names(cases_of(contract, sizes))) {
      EXPECT_EQ(name.find("content-"), std::string::npos) << name;
    }
  }
}

TEST(AdversarialCases, KeepNonNegativeInputsNonNegative) {
  Contract contract = sum_contract();
  contract.inputs[0].tensor = [](const Case& c) {
    return Tensor::f32({c.integer("n")}).generator(Generator::uniform(0.5, 1));
  };
  const auto list = cases_of(contract, sizes);
  EXPECT_THAT(names(list), Not(Contains("content-cancellation")));
  EXPECT_THAT(names(list), Not(Contains("content-zeros")));
  for (const char* name : {"content-large", "content-small", "content-subnormal"}) {
    for (const double value : content(named(list, name), contract.inputs[0])) ASSERT_GT(value, 0);
  }
}

class AdversarialContentOf : public ::testing::TestWithParam<const char*> {
 protected:
  AdversarialContentOf() {
    contract_.special_values.non_finite = SpecialValues::NonFinite::propagate;
  }
  std::vector<double> content_named(const std::string& slug) {
    const std::vector<Axis> axes = {{"n", {2000}}, {"dtype", {GetParam()}}};
    return content(named(cases_of(contract_, axes), "content-" + slug + '-' + GetParam()),
                   contract_.inputs[0]);
  }
  const DType& dtype() const { return *find_dtype(GetParam()); }
  Contract contract_ = sum_contract();
};

TEST_P(AdversarialContentOf, LargeKeepsSumsFinite) {
  for (const auto range : {SpecialValues::Range::sums, SpecialValues::Range::squares}) {
    contract_.special_values.range = range;
    double sum = 0;
    double squares = 0;
    double largest = 0;
    for (const double value : content_named("large")) {
      ASSERT_TRUE(std::isfinite(value));
      sum += std::fabs(value);
      squares += value * value;
      largest = std::max(largest, std::fabs(value));
    }
    EXPECT_LT(sum, dtype().largest);
    EXPECT_GT(largest, 0);
    if (range == SpecialValues::Range::squares) {
      EXPECT_LT(squares, dtype().largest);
      EXPECT_GT(squares, dtype().largest / 32);
    } else {
      EXPECT_GT(sum, dtype().largest / 32);
    }
  }
}

TEST_P(AdversarialContentOf, SmallIsNormalAndSubnormalIsNot) {
  const double smallest = std::ldexp(1.0, dtype().min_exponent);
  for (const double value : content_named("subnormal")) {
    ASSERT_NE(value, 0);
    ASSERT_LT(std::fabs(value), smallest);
  }
  for (const double value : content_named("small")) {
    ASSERT_GE(value * value * (1 + 2 * ulp_at(dtype(), 1.0)), smallest);
  }
  contract_.special_values.range = SpecialValues::Range::sums;
  for (const double value : content_named("small")) {
    ASSERT_GE(std::fabs(value), smallest);
    ASSERT_LE(std::fabs(value), 4 * smallest);
  }
}

TEST_P(AdversarialContentOf, CancellationLeavesATinyRemainder) {
  const std::vector<double> values = content_named("cancellation");
  double magnitudes = 0;
  double half = 0;
  double sum = 0;
  // By pairs, which is exact: added up in order the remainder would drown in rounding.
  for (std::size_t i = 0; i < values.size() / 2; ++i) {
    const double mirrored = values[values.size() - 1 - i];
    magnitudes += std::fabs(values[i]) + std::fabs(mirrored);
    half += values[i];
    sum += values[i] + mirrored;
  }
  EXPECT_GT(sum, 0);
  EXPECT_LT(sum, magnitudes * ulp_at(dtype(), 1.0));
  EXPECT_GT(std::fabs(half), sum);
}

TEST_P(AdversarialContentOf, EqualZerosAndNaNAreWhatTheySay) {
  const std::vector<double> equal = content_named("equal");
  EXPECT_EQ(std::set<double>(equal.begin(), equal.end()).size(), 1U);
  EXPECT_NE(equal.front(), 0);
  for (const double value : content_named("zeros")) ASSERT_EQ(value, 0);
  std::size_t not_a_number = 0;
  for (const double value : content_named("nan")) not_a_number += std::isnan(value) ? 1U : 0U;
  EXPECT_GE(not_a_number, 1U);
  EXPECT_LE(not_a_number, 100U);
  if (dtype().has_infinity) {
    std::size_t infinite = 0;
    for (const double value : content_named("infinity")) {
      ASSERT_NE(value, -HUGE_VAL);
      infinite += std::isinf(value) ? 1U : 0U;
    }
    EXPECT_GE(infinite, 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AdversarialContentOf,
                         ::testing::Values("f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2"));

TEST(AdversarialContent, HasItsSpecialValueEvenInOneElement) {
  Contract contract = sum_contract();
  contract.special_values.non_finite = SpecialValues::NonFinite::propagate;
  const auto list = cases_of(contract, {{"n", {1}}});
  EXPECT_TRUE(std::isnan(content(named(list, "content-nan"), contract.inputs[0])[0]));
  EXPECT_TRUE(std::isinf(content(named(list, "content-infinity"), contract.inputs[0])[0]));
}

}  // namespace
}  // namespace assay
