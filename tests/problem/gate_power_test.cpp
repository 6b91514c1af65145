// SPDX-License-Identifier: MIT
#include "assay/problem/gate_power.hpp"

#include <gmock/gmock.h>

#include "assay/problem/compare.hpp"
#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;
using ::testing::HasSubstr;

Contract contract_of(const Tensor& x, const Tensor& y, const Tolerance& tolerance) {
  Contract made;
  made.problem = "p";
  InputSpec input;
  input.name = "x";
  input.tensor = [x](const Case&) { return x; };
  made.inputs = {input};
  made.outputs = {{"y", [y](const Case&) { return y; }}};
  made.tolerance = tolerance;
  return made;
}

std::vector<GatePowerResult> power_of(Buffer& x, Buffer& y, const Tolerance& tolerance,
                                      std::uint64_t key = 5) {
  const std::vector<double> elements = to_doubles(y.tensor, y.payload());
  const ExpectedOutput expected{"y", y.tensor, elements, {}, {}, {}};
  EXPECT_TRUE(compare_output(expected, y.payload(), tolerance, {}).passed);
  return gate_power(contract_of(x.tensor, y.tensor, tolerance), {{&x.tensor, x.payload()}},
                    expected, y.payload(), key);
}

const GatePowerResult* find(const std::vector<GatePowerResult>& results,
                            const std::string& mutant) {
  for (const auto& result : results) {
    if (result.mutant == mutant) return &result;
  }
  return nullptr;
}

TEST(GatePower, CatchesEveryMutantOfAGoodCheck) {
  for (const char* name :
       {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2", "i8", "i32", "i64", "u8", "u16"}) {
    for (const Tensor& shape : test::awkward_tensors(*find_dtype(name))) {
      Tensor tensor = shape;
      tensor.generator(Generator::integers(1, 60));
      Buffer x(tensor);
      fill(tensor, 1, x.payload());
      Buffer y(tensor);
      fill(tensor, 2, y.payload());
      const auto bytes = y.bytes;
      if (tensor.element_count() == 1) x.set(0, y.value(0) + 8);
      for (const Tolerance& tolerance :
           {Tolerance::exact(), Tolerance::relative(0.01), Tolerance::absolute(0.5)}) {
        for (const std::uint64_t key : {5U, 6U}) {
          const auto results = power_of(x, y, tolerance, key);
          ASSERT_EQ(results.size(), tensor.element_count() == 0 ? 0U : 4U);
          for (const auto& result : results) {
            EXPECT_TRUE(result.differs_from_reference) << name << ' ' << result.mutant;
            EXPECT_TRUE(result.caught) << name << ' ' << result.mutant;
          }
        }
      }
      EXPECT_EQ(y.bytes, bytes);
    }
  }
}

TEST(GatePower, SeesThatConstantZerosCannotTellZerosApart) {
  Buffer x(Tensor::f32({4}), {1, 2, 3, 4});
  Buffer y(Tensor::f32({4}), {0, 0, 0, 0});
  const auto results = power_of(x, y, Tolerance::absolute(1e-3));
  EXPECT_FALSE(find(results, "zeros")->differs_from_reference);
  EXPECT_TRUE(find(results, "copied-input")->caught);
  const auto findings = fold_gate_power(results);
  EXPECT_EQ(findings.front().slug, "check.not-applicable");
  EXPECT_FALSE(findings.front().too_weak);
}

TEST(GatePower, FindsAToleranceWiderThanTheValues) {
  Buffer x(Tensor::f32({4}), {2, 2, 3, 4});
  Buffer y(Tensor::f32({4}), {1e-4, -2e-4, 1e-4, 3e-4});
  const auto results = power_of(x, y, Tolerance::absolute(1e-3));
  EXPECT_TRUE(find(results, "zeros")->differs_from_reference);
  EXPECT_FALSE(find(results, "zeros")->caught);
  const auto findings = fold_gate_power(results);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_TRUE(findings[0].too_weak);
  EXPECT_EQ(findings[0].slug, "check.too-weak");
  EXPECT_THAT(findings[0].sentence, HasSubstr("an output 'y' of zeros differs from the reference"));
  EXPECT_EQ(findings[1].slug, "check.caught");
}

TEST(GatePower, FindsAToleranceThatTakesEveryValueOfTheType) {
  Buffer x(Tensor::u8({20}), std::vector<double>(20, 9));
  Buffer y(Tensor::u8({20}), std::vector<double>(20, 7));
  for (const auto& result : power_of(x, y, Tolerance::absolute(300))) {
    EXPECT_TRUE(result.differs_from_reference) << result.mutant;
    EXPECT_FALSE(result.caught) << result.mutant;
  }
}

TEST(GatePower, CopiesTheFirstInputElementsToAReduction) {
  Buffer x(Tensor::f64({5}), {10, 1, 1, 1, 1});
  Buffer same(Tensor::f32({}), std::vector<double>{10});
  EXPECT_FALSE(find(power_of(x, same, Tolerance::exact()), "copied-input")->differs_from_reference);
  Buffer sum(Tensor::f32({}), std::vector<double>{14});
  EXPECT_TRUE(find(power_of(x, sum, Tolerance::exact()), "copied-input")->caught);
}

TEST(GatePower, CopiesNoInputThatIsTooShort) {
  Buffer x(Tensor::f32({2}), {1, 2});
  Buffer y(Tensor::f32({3}), {5, 6, 7});
  const auto results = power_of(x, y, Tolerance::exact());
  EXPECT_EQ(find(results, "copied-input"), nullptr);
  EXPECT_EQ(results.size(), 3U);
}

TEST(GatePower, ComparesScaledTolerancesByTheirMagnitudes) {
  Buffer x(Tensor::f32({4}), {1, 2, 3, 4});
  Buffer y(Tensor::f32({2}), {0, 100});
  const Tolerance tolerance = Tolerance::relative(0.01).scaled_by_sum_of_magnitudes();
  const ExpectedOutput expected{"y", y.tensor, {0, 100}, {1000, 1000}, {}, {}};
  for (std::uint64_t key = 0; key < 8; ++key) {
    for (const auto& result : gate_power(contract_of(x.tensor, y.tensor, tolerance),
                                         {{&x.tensor, x.payload()}}, expected, y.payload(), key)) {
      if (result.mutant == "one-wrong-element") {
        EXPECT_TRUE(result.caught) << key;
      }
    }
  }
}

TEST(FoldGatePower, OneCaseThatCatchesIsEnough) {
  const std::vector<GatePowerResult> results = {{"y", "zeros", "", true, false},
                                                {"y", "zeros", "", true, true},
                                                {"y", "zeros", "", false, false},
                                                {"z", "zeros", "", true, false}};
  const auto findings = fold_gate_power(results);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].cases_differing, 2);
  EXPECT_EQ(findings[0].cases_caught, 1);
  EXPECT_FALSE(findings[0].too_weak);
  EXPECT_TRUE(findings[1].too_weak);
}

}  // namespace
}  // namespace assay
