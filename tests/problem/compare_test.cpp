// SPDX-License-Identifier: MIT
#include "assay/problem/compare.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "assay/base/error.hpp"
#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;
using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Setting {
  Tolerance tolerance = Tolerance::exact();
  SpecialValues special_values = {};
  ComparisonOptions options = {};
  std::vector<double> magnitudes = {};
};

OutputComparison compared(Buffer& buffer, const std::vector<double>& expected,
                          const Setting& setting = {}) {
  return compare_output("y", buffer.tensor, buffer.payload(), expected, setting.magnitudes,
                        setting.tolerance, setting.special_values, setting.options);
}

bool one_passes(const DType& dtype, double got, double expected, const Setting& setting = {}) {
  Buffer buffer(Tensor(dtype, {1}), std::vector<double>{got});
  return compared(buffer, {expected}, setting).passed;
}

SpecialValues propagating() {
  SpecialValues values;
  values.non_finite = SpecialValues::NonFinite::propagate;
  return values;
}

// Every element, moved just inside its bound, passes; moved just outside, it is the one mismatch.
TEST(CompareOutput, AcceptsInsideAndRefusesOutsideForEveryElement) {
  const Tolerance tolerances[] = {Tolerance::absolute(0.01), Tolerance::relative(0.02),
                                  Tolerance::ulp(4), Tolerance::absolute(0.001).or_relative(0.05)};
  for (const Tensor& tensor : test::awkward_tensors(dtype_of<float>())) {
    if (tensor.element_count() > 100) continue;
    for (const Tolerance& tolerance : tolerances) {
      Buffer buffer(tensor);
      fill(tensor, 3, buffer.payload());
      const std::vector<double> expected = to_doubles(tensor, buffer.payload());
      Setting setting;
      setting.tolerance = tolerance;
      ASSERT_TRUE(compared(buffer, expected, setting).passed);
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        const double value = expected[static_cast<std::size_t>(i)];
        const double bound = allowed_error(tolerance, tensor.dtype(), value, 0);
        ASSERT_GT(bound, 0);
        const double half_step = ulp_at(tensor.dtype(), std::fabs(value) + bound);
        for (const double sign : {-1.0, 1.0}) {
          buffer.set(i, value + sign * (bound - half_step));
          ASSERT_TRUE(compared(buffer, expected, setting).passed) << i;
          buffer.set(i, value + sign * (bound + half_step));
          const OutputComparison result = compared(buffer, expected, setting);
          ASSERT_FALSE(result.passed) << i;
          ASSERT_EQ(result.mismatches, 1);
          ASSERT_EQ(result.first_mismatch->index, i);
          ASSERT_EQ(result.first_mismatch->got, buffer.value(i));
          ASSERT_EQ(result.first_mismatch->expected, value);
          ASSERT_GT(*result.largest_error_over_bound, 1);
        }
        buffer.set(i, value);
      }
    }
  }
}

TEST(CompareOutput, ExactMeansTheExpectedValueRoundedToTheDtype) {
  EXPECT_TRUE(one_passes(dtype_of<float>(), 0.1, 0.1));
  EXPECT_FALSE(one_passes(dtype_of<float>(), 0.1 + 1e-8, 0.1));
  EXPECT_TRUE(one_passes(dtype_of<float>(), -0.0, 0.0));
  EXPECT_TRUE(one_passes(dtype_of<bf16>(), 0.1, 0.1));
  EXPECT_TRUE(one_passes(dtype_of<std::int32_t>(), 3, 3));
  EXPECT_FALSE(one_passes(dtype_of<std::int32_t>(), 4, 3));
  EXPECT_TRUE(one_passes(dtype_of<std::uint8_t>(), 255, 300));
}

TEST(CompareOutput, UlpAtZeroIsTheSubnormalStep) {
  Setting setting;
  setting.tolerance = Tolerance::ulp(2);
  EXPECT_TRUE(one_passes(dtype_of<float>(), 2 * 0x1p-149, 0.0, setting));
  EXPECT_FALSE(one_passes(dtype_of<float>(), 3 * 0x1p-149, 0.0, setting));
  EXPECT_TRUE(one_passes(dtype_of<float>(), 1 + 2 * 0x1p-23, 1.0, setting));
  EXPECT_FALSE(one_passes(dtype_of<float>(), 1 + 3 * 0x1p-23, 1.0, setting));
}

TEST(CompareOutput, ScalesTheRelativeBoundByMagnitudes) {
  Setting setting;
  setting.tolerance = Tolerance::relative(1e-3).scaled_by_sum_of_magnitudes();
  setting.magnitudes = {1000};
  EXPECT_TRUE(one_passes(dtype_of<double>(), 0.9, 0.0, setting));
  EXPECT_FALSE(one_passes(dtype_of<double>(), 1.1, 0.0, setting));
  setting.magnitudes.clear();
  EXPECT_THROW(one_passes(dtype_of<double>(), 0.9, 0.0, setting), Error);
}

TEST(CompareOutput, NeverAcceptsNaNOrInfinityForAFiniteValue) {
  Setting wide;
  wide.tolerance = Tolerance::absolute(1e300).or_relative(1e10);
  for (const SpecialValues& values : {SpecialValues(), propagating()}) {
    wide.special_values = values;
    for (const double got : {nan_value, infinity, -infinity}) {
      Buffer buffer(Tensor::f32({1}), std::vector<double>{got});
      const OutputComparison result = compared(buffer, {1.0}, wide);
      EXPECT_FALSE(result.passed);
      EXPECT_EQ(result.nonfinite_got, 1);
      EXPECT_FALSE(result.largest_absolute_error.has_value());
    }
  }
}

TEST(CompareOutput, AcceptsTheOverflowOfTheOutputsType) {
  EXPECT_TRUE(one_passes(dtype_of<float>(), infinity, 1e39));
  EXPECT_FALSE(one_passes(dtype_of<float>(), -infinity, 1e39));
  EXPECT_FALSE(one_passes(dtype_of<float>(), nan_value, 1e39));
  EXPECT_TRUE(one_passes(dtype_of<f16>(), infinity, 65520));
  EXPECT_FALSE(one_passes(dtype_of<f16>(), infinity, 65519));
  EXPECT_TRUE(one_passes(dtype_of<fp8_e4m3>(), nan_value, 1000));
  EXPECT_FALSE(one_passes(dtype_of<fp8_e4m3>(), nan_value, 400));
}

TEST(CompareOutput, WantsSpecialValuesExactlyWhereTheReferenceHasThem) {
  Setting setting;
  setting.special_values = propagating();
  setting.options.adversarial_content = true;
  Buffer buffer(Tensor::f32({4}), {1, nan_value, infinity, 2});
  EXPECT_TRUE(compared(buffer, {1, nan_value, infinity, 2}, setting).passed);
  EXPECT_EQ(compared(buffer, {1, nan_value, infinity, 2}, setting).nonfinite_expected, 2);
  EXPECT_FALSE(compared(buffer, {1, 0, infinity, 2}, setting).passed);
  EXPECT_FALSE(compared(buffer, {1, nan_value, -infinity, 2}, setting).passed);
  EXPECT_FALSE(compared(buffer, {1, nan_value, nan_value, 2}, setting).passed);
  EXPECT_FALSE(compared(buffer, {1, nan_value, infinity, nan_value}, setting).passed);
}

TEST(CompareOutput, BlamesTheReferenceForNaNOnOrdinaryContent) {
  Setting setting;
  setting.special_values = propagating();
  Buffer buffer(Tensor::f32({2, 2}), {1, 2, 3, nan_value});
  const OutputComparison result = compared(buffer, {1, 2, 3, nan_value}, setting);
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.reference_failed);
  EXPECT_THAT(result.reason, HasSubstr("the reference gives NaN for 'y' at index (1, 1)"));
  setting.special_values = SpecialValues();
  setting.options.adversarial_content = true;
  EXPECT_TRUE(compared(buffer, {1, 2, 3, infinity}, setting).reference_failed);
}

TEST(CompareOutput, TellsUnwrittenElementsFromWrongOnes) {
  Setting setting;
  setting.options.poison_key = 99;
  Buffer buffer(Tensor::f32({10}));
  for (std::int64_t i = 0; i < 8; ++i) buffer.set(i, 1.0);
  buffer.set(2, 7.0);
  const OutputComparison result = compared(buffer, std::vector<double>(10, 1.0), setting);
  EXPECT_EQ(result.mismatches, 3);
  EXPECT_EQ(result.unwritten, 2);
  EXPECT_EQ(*result.first_mismatch, (Mismatch{2, 7, 1}));
  EXPECT_EQ(result.reason,
            "3 of 10 elements of 'y' are wrong, the first at index 2: got 7, expected 1 (tolerance "
            "exact); 2 of them were never written");
}

TEST(CompareOutput, LetsSubnormalsVanishOnlyWhereTheyMay) {
  Setting setting;
  EXPECT_TRUE(one_passes(dtype_of<float>(), 0, 1e-40, setting));
  EXPECT_FALSE(one_passes(dtype_of<float>(), 0, 2e-38, setting));
  EXPECT_FALSE(one_passes(dtype_of<float>(), 2e-40, 1e-40, setting));
  setting.special_values.subnormal = SpecialValues::Subnormal::exact;
  EXPECT_FALSE(one_passes(dtype_of<float>(), 0, 1e-40, setting));
  EXPECT_TRUE(one_passes(dtype_of<float>(), 1e-40, 1e-40, setting));
}

TEST(CompareOutput, AcceptsTheResultOfFlushedInputs) {
  Buffer buffer(Tensor::f32({3}), {5, 7, 6});
  const ExpectedOutput expected{"y", buffer.tensor, {5, 6, 6}, {}, {7, 7, 7}, {}};
  const OutputComparison result =
      compare_output(expected, buffer.payload(), Tolerance::exact(), SpecialValues());
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(*result.largest_absolute_error, 0);
  buffer.set(1, 8);
  EXPECT_FALSE(compare_output(expected, buffer.payload(), Tolerance::exact(), {}).passed);
}

TEST(CompareOutput, ReportsTheLargestErrors) {
  Setting setting;
  setting.tolerance = Tolerance::relative(0.5);
  Buffer buffer(Tensor::f64({4}), {1.25, 0, 104, -8});
  const OutputComparison result = compared(buffer, {1, 0, 100, -8}, setting);
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(*result.largest_absolute_error, 4);
  EXPECT_EQ(*result.largest_relative_error, 0.25);
  EXPECT_EQ(*result.largest_error_over_bound, 0.5);
  EXPECT_EQ(result.reason,
            "all 4 elements of 'y' keep the tolerance (relative 0.5); the largest error is 0.5 of "
            "the bound");
}

TEST(CompareOutput, HasNothingToSayOfAnEmptyOutput) {
  Buffer buffer(Tensor::f32({0}));
  const OutputComparison result = compared(buffer, {});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.elements, 0);
  EXPECT_FALSE(result.largest_absolute_error.has_value());
  EXPECT_FALSE(result.first_mismatch.has_value());
}

TEST(CompareOutput, RefusesAReferenceOfAnotherLength) {
  Buffer buffer(Tensor::f32({2}), {1, 2});
  EXPECT_THROW(compared(buffer, {1}), Error);
  EXPECT_THROW(compared(buffer, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace assay
