// SPDX-License-Identifier: MIT
#include "assay/problem/dtype.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "assay/base/random.hpp"

namespace assay {
namespace {

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Eigen's types behind one name.
struct EigenHalf {
  using Ours = f16;
  static float decode(std::uint16_t bits) {
    return Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(bits));
  }
  static std::uint16_t encode(float value) { return Eigen::half_impl::float_to_half_rtne(value).x; }
  static f16 ours(float value) { return to_f16(value); }
};
struct EigenBfloat {
  using Ours = bf16;
  static float decode(std::uint16_t bits) {
    return Eigen::bfloat16_impl::bfloat16_to_float(
        Eigen::bfloat16_impl::raw_uint16_to_bfloat16(bits));
  }
  static std::uint16_t encode(float value) {
    return Eigen::bfloat16_impl::float_to_bfloat16_rtne<false>(value).value;
  }
  static bf16 ours(float value) { return to_bf16(value); }
};

template <typename Oracle>
class SixteenBits : public ::testing::Test {};
using Oracles = ::testing::Types<EigenHalf, EigenBfloat>;
TYPED_TEST_SUITE(SixteenBits, Oracles);

TYPED_TEST(SixteenBits, DecodeEveryPatternAsEigenDoes) {
  for (std::uint32_t pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float wanted = TypeParam::decode(bits);
    const float got = to_float(typename TypeParam::Ours{bits});
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(got)) << pattern;
    } else {
      ASSERT_EQ(bits_of(got), bits_of(wanted)) << pattern;
    }
  }
}

TYPED_TEST(SixteenBits, EncodeTheirOwnValuesAsThemselves) {
  for (std::uint32_t pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const typename TypeParam::Ours value{static_cast<std::uint16_t>(pattern)};
    const float decoded = to_float(value);
    const auto again = TypeParam::ours(decoded);
    if (std::isnan(decoded)) {
      ASSERT_TRUE(std::isnan(to_float(again))) << pattern;
    } else {
      ASSERT_EQ(again.bits, value.bits);
    }
  }
}

TYPED_TEST(SixteenBits, RoundAroundEveryMidpointAsEigenDoes) {
  for (std::uint32_t pattern = 0; pattern <= 0xFFFF; ++pattern) {
    const float low = to_float(typename TypeParam::Ours{static_cast<std::uint16_t>(pattern)});
    const float high = to_float(typename TypeParam::Ours{static_cast<std::uint16_t>(pattern + 1)});
    if (!std::isfinite(low) || std::isnan(high) || (low < 0) != (high < 0)) continue;
    // Beyond the largest value the next step is where infinity begins.
    const double above =
        std::isfinite(high)
            ? static_cast<double>(high)
            : static_cast<double>(low) + std::copysign(ulp_at(dtype_of<typename TypeParam::Ours>(),
                                                              static_cast<double>(low)),
                                                       static_cast<double>(low));
    const auto middle = static_cast<float>((static_cast<double>(low) + above) / 2);
    for (const float value : {middle, std::nextafter(middle, 0.0F),
                              std::nextafter(middle, std::copysign(HUGE_VALF, middle))}) {
      ASSERT_EQ(TypeParam::ours(value).bits, TypeParam::encode(value)) << pattern << ' ' << value;
    }
  }
}

TYPED_TEST(SixteenBits, RoundRandomFloatsAsEigenDoes) {
  Random random(17);
  for (int i = 0; i < 300000; ++i) {
    const float value = float_of(static_cast<std::uint32_t>(random.next()));
    if (std::isnan(value)) continue;
    ASSERT_EQ(TypeParam::ours(value).bits, TypeParam::encode(value)) << value;
  }
}

TEST(SixteenBits, RoundADoubleOnce) {
  // 1 + 2^-11 lies in the middle of two f16; a hair above it, lost in float, decides.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  ASSERT_EQ(static_cast<double>(static_cast<float>(above)), 1 + 0x1p-11);
  f16 value{};
  dtype_of<f16>().from_double(above, &value);
  EXPECT_EQ(value.bits, 0x3C01);
  dtype_of<f16>().from_double(1 + 0x1p-11, &value);
  EXPECT_EQ(value.bits, 0x3C00);
  bf16 brain{};
  dtype_of<bf16>().from_double(1 + 0x1p-8 + 0x1p-45, &brain);
  EXPECT_EQ(brain.bits, 0x3F81);
}

// The OCP formats spelled out: (-1)^s · 2^(e−bias) · (1 + m/2^k), or m/2^k at the lowest exponent.
double eight_bits(std::uint32_t pattern, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (pattern & 0x80U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((pattern & 0x7FU) >> fraction_bits);
  const int fraction = static_cast<int>(pattern & ((1U << fraction_bits) - 1U));
  const bool has_infinity = exponent_bits == 5;
  if (has_infinity && exponent == 31) {
    return fraction == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  }
  if (!has_infinity && (pattern & 0x7FU) == 0x7FU) return std::numeric_limits<double>::quiet_NaN();
  const double share = static_cast<double>(fraction) / (1 << fraction_bits);
  if (exponent == 0) return sign * std::ldexp(share, 1 - bias);
  return sign * std::ldexp(1 + share, exponent - bias);
}

// Nearest by looking at all values; ties to the even pattern.
std::uint32_t nearest_eight_bits(double value, int exponent_bits, int fraction_bits,
                                 std::uint32_t largest, std::uint32_t overflow) {
  std::uint32_t best = 0;
  for (std::uint32_t pattern = 1; pattern <= largest; ++pattern) {
    const double here =
        std::fabs(std::fabs(value) - eight_bits(pattern, exponent_bits, fraction_bits));
    const double before =
        std::fabs(std::fabs(value) - eight_bits(best, exponent_bits, fraction_bits));
    if (here < before || (here == before && pattern % 2 == 0)) best = pattern;
  }
  const double top = eight_bits(largest, exponent_bits, fraction_bits);
  const double step = top - eight_bits(largest - 1, exponent_bits, fraction_bits);
  const bool tie_goes_up = largest % 2 == 1;
  const double edge = top + step / 2;
  if (std::fabs(value) > edge || (tie_goes_up && std::fabs(value) == edge)) best = overflow;
  return best | (std::signbit(value) ? 0x80U : 0U);
}

TEST(EightBits, DecodeEveryPattern) {
  for (std::uint32_t pattern = 0; pattern <= 0xFF; ++pattern) {
    const auto bits = static_cast<std::uint8_t>(pattern);
    const double e4m3 = eight_bits(pattern, 4, 3);
    const double e5m2 = eight_bits(pattern, 5, 2);
    const auto got_e4m3 = static_cast<double>(to_float(fp8_e4m3{bits}));
    const auto got_e5m2 = static_cast<double>(to_float(fp8_e5m2{bits}));
    EXPECT_TRUE(got_e4m3 == e4m3 || (std::isnan(got_e4m3) && std::isnan(e4m3))) << pattern;
    EXPECT_TRUE(got_e5m2 == e5m2 || (std::isnan(got_e5m2) && std::isnan(e5m2))) << pattern;
    EXPECT_EQ(std::signbit(got_e4m3), pattern >= 0x80) << pattern;
  }
  EXPECT_EQ(to_float(fp8_e4m3{0x7E}), 448.0F);
  EXPECT_EQ(to_float(fp8_e5m2{0x7B}), 57344.0F);
}

TEST(EightBits, RoundToNearestEven) {
  std::vector<double> values = {
      464.0, std::nextafter(464.0, 500.0), 480.0, 61440.0, 61439.0, 1e30, 1e-30, 0.0, -0.0};
  for (std::uint32_t pattern = 0; pattern < 0x7B; ++pattern) {
    for (const int exponent_bits : {4, 5}) {
      const double low = eight_bits(pattern, exponent_bits, 7 - exponent_bits);
      const double high = eight_bits(pattern + 1, exponent_bits, 7 - exponent_bits);
      const double middle = (low + high) / 2;
      values.insert(values.end(), {low, middle, std::nextafter(middle, 0.0),
                                   std::nextafter(middle, 1e9), (low + middle) / 2});
    }
  }
  for (const double magnitude : values) {
    for (const double value : {magnitude, -magnitude}) {
      fp8_e4m3 e4m3{};
      dtype_of<fp8_e4m3>().from_double(value, &e4m3);
      EXPECT_EQ(e4m3.bits, nearest_eight_bits(value, 4, 3, 0x7E, 0x7F)) << value;
      fp8_e5m2 e5m2{};
      dtype_of<fp8_e5m2>().from_double(value, &e5m2);
      EXPECT_EQ(e5m2.bits, nearest_eight_bits(value, 5, 2, 0x7B, 0x7C)) << value;
    }
  }
}

TEST(EightBits, OverflowsAsItsFormatSays) {
  EXPECT_TRUE(std::isnan(to_float(to_fp8_e4m3(1000.0F))));
  EXPECT_TRUE(std::isnan(to_float(to_fp8_e4m3(-HUGE_VALF))));
  EXPECT_EQ(to_float(to_fp8_e5m2(1e6F)), HUGE_VALF);
  EXPECT_EQ(to_float(to_fp8_e5m2(-HUGE_VALF)), -HUGE_VALF);
}

template <typename T>
T converted(double value) {
  T element;
  dtype_of<T>().from_double(value, &element);
  return element;
}

TEST(Integers, RoundToNearestEvenAndSaturate) {
  EXPECT_EQ(converted<std::int32_t>(2.5), 2);
  EXPECT_EQ(converted<std::int32_t>(3.5), 4);
  EXPECT_EQ(converted<std::int32_t>(-2.5), -2);
  EXPECT_EQ(converted<std::int32_t>(-2.51), -3);
  EXPECT_EQ(converted<std::int8_t>(127.4), 127);
  EXPECT_EQ(converted<std::int8_t>(1e9), 127);
  EXPECT_EQ(converted<std::int8_t>(-1e9), -128);
  EXPECT_EQ(converted<std::uint8_t>(-3), 0);
  EXPECT_EQ(converted<std::uint8_t>(255.5), 255);
  EXPECT_EQ(converted<std::int64_t>(1e300), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(converted<std::int64_t>(-1e300), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(converted<std::int64_t>(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(converted<std::uint64_t>(0x1p64), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(converted<std::int64_t>(0x1p53 - 1), (std::int64_t{1} << 53) - 1);
  EXPECT_EQ(converted<std::int32_t>(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(DType, DescribesItsLargestAndSmallestValues) {
  for (const char* name : {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2"}) {
    const DType& dtype = *find_dtype(name);
    std::vector<std::byte> element(dtype.size_bytes);
    const auto round_trip = [&](double value) {
      dtype.from_double(value, element.data());
      return dtype.to_double(element.data());
    };
    EXPECT_EQ(round_trip(dtype.largest), dtype.largest) << name;
    if (dtype.size_bytes < 8) {
      EXPECT_FALSE(std::isfinite(round_trip(dtype.largest * 1.5))) << name;
      EXPECT_EQ(std::isinf(round_trip(dtype.largest * 1.5)), dtype.has_infinity) << name;
    }
    const double smallest = ulp_at(dtype, 0.0);
    EXPECT_EQ(round_trip(smallest), smallest) << name;
    EXPECT_EQ(round_trip(smallest / 2), 0.0) << name;  // a tie goes to even
    EXPECT_EQ(round_trip(1 + ulp_at(dtype, 1.0)), 1 + ulp_at(dtype, 1.0)) << name;
    EXPECT_EQ(round_trip(1 + ulp_at(dtype, 1.0) / 2), 1.0) << name;
  }
}

TEST(UlpAt, IsTheDistanceToTheNextLargerValue) {
  for (const float value : {1.0F, 0.75F, -3.0F, 1e-40F, 0.0F, 1e30F, 0x1p-126F, 0x1p-127F}) {
    const float magnitude = std::fabs(value);
    const float next = std::nextafter(magnitude, HUGE_VALF);
    EXPECT_EQ(ulp_at(dtype_of<float>(), static_cast<double>(value)),
              static_cast<double>(next) - static_cast<double>(magnitude))
        << value;
  }
  EXPECT_EQ(ulp_at(dtype_of<double>(), 0.0), 0x1p-1074);
  EXPECT_EQ(ulp_at(dtype_of<f16>(), 65504.0), 32.0);
  EXPECT_EQ(ulp_at(dtype_of<f16>(), 1e9), 32.0);
  EXPECT_EQ(ulp_at(dtype_of<f16>(), HUGE_VAL), 32.0);
  EXPECT_EQ(ulp_at(dtype_of<std::int32_t>(), 12345.0), 1.0);
}

TEST(FindDtype, KnowsAllThatShipAndNothingElse) {
  for (const char* name : {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2", "i8", "i16", "i32",
                           "i64", "u8", "u16", "u32", "u64"}) {
    ASSERT_NE(find_dtype(name), nullptr) << name;
    EXPECT_EQ(find_dtype(name)->name, name);
  }
  EXPECT_EQ(find_dtype("f8"), nullptr);
  EXPECT_EQ(find_dtype("i16"), &dtype_of<std::int16_t>());
}

}  // namespace
}  // namespace assay
