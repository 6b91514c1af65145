// SPDX-License-Identifier: MIT
#include "assay/problem/dtype.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "assay/problem/detail/convert.hpp"

namespace assay {
namespace {

template <typename T>
double load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return detail::element_to_double(value);
}

template <typename T>
void store(double value, void* element) {
  const T converted = detail::element_from_double<T>(value);
  std::memcpy(element, &converted, sizeof converted);
}

template <typename T>
DType floating(const char* name, int significand_digits, int min_exponent, double largest,
               bool has_infinity) {
  return DType{name,        DType::Kind::floating, sizeof(T),    load<T>,
               store<T>,    significand_digits,    min_exponent, largest,
               has_infinity};
}

template <typename T>
DType integer(const char* name) {
  const auto kind =
      std::is_signed_v<T> ? DType::Kind::signed_integer : DType::Kind::unsigned_integer;
  return DType{name, kind, sizeof(T), load<T>, store<T>, 0, 0, 0, false};
}

// Asked for every element that is compared: from the bits, where libm would be called.

// Of the largest power of two that is not above a non-negative number; `lowest` for 0.
int exponent_of(double magnitude, int lowest) noexcept {
  const auto biased = static_cast<int>(detail::bits_of(magnitude) >> 52);
  if (biased != 0) return biased - 1023;
  return magnitude == 0 ? lowest : std::ilogb(magnitude);
}

double power_of_two(int exponent) noexcept {
  if (exponent < -1022 || exponent > 1023) return std::ldexp(1.0, exponent);
  return detail::double_of(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

// Built at first use: generators and tensors of static objects may ask before main() runs.
#define ASSAY_DEFINE_DTYPE(type, ...)          \
  const DType& DTypeOf<type>::get() noexcept { \
    static const DType dtype = __VA_ARGS__;    \
    return dtype;                              \
  }
ASSAY_DEFINE_DTYPE(double, floating<double>("f64", 53, -1022, DBL_MAX, true))
ASSAY_DEFINE_DTYPE(float, floating<float>("f32", 24, -126, static_cast<double>(FLT_MAX), true))
ASSAY_DEFINE_DTYPE(f16, floating<f16>("f16", 11, -14, 65504.0, true))
ASSAY_DEFINE_DTYPE(bf16, floating<bf16>("bf16", 8, -126, 0x1.FEp127, true))
ASSAY_DEFINE_DTYPE(fp8_e4m3, floating<fp8_e4m3>("fp8_e4m3", 4, -6, 448.0, false))
ASSAY_DEFINE_DTYPE(fp8_e5m2, floating<fp8_e5m2>("fp8_e5m2", 3, -14, 57344.0, true))
ASSAY_DEFINE_DTYPE(std::int8_t, integer<std::int8_t>("i8"))
ASSAY_DEFINE_DTYPE(std::int16_t, integer<std::int16_t>("i16"))
ASSAY_DEFINE_DTYPE(std::int32_t, integer<std::int32_t>("i32"))
ASSAY_DEFINE_DTYPE(std::int64_t, integer<std::int64_t>("i64"))
ASSAY_DEFINE_DTYPE(std::uint8_t, integer<std::uint8_t>("u8"))
ASSAY_DEFINE_DTYPE(std::uint16_t, integer<std::uint16_t>("u16"))
ASSAY_DEFINE_DTYPE(std::uint32_t, integer<std::uint32_t>("u32"))
ASSAY_DEFINE_DTYPE(std::uint64_t, integer<std::uint64_t>("u64"))
#undef ASSAY_DEFINE_DTYPE

float to_float(f16 value) noexcept { return static_cast<float>(detail::F16::decode(value.bits)); }
float to_float(bf16 value) noexcept { return static_cast<float>(detail::Bf16::decode(value.bits)); }
float to_float(fp8_e4m3 value) noexcept {
  return static_cast<float>(detail::E4m3::decode(value.bits));
}
float to_float(fp8_e5m2 value) noexcept {
  return static_cast<float>(detail::E5m2::decode(value.bits));
}
f16 to_f16(float value) noexcept {
  return detail::element_from_double<f16>(static_cast<double>(value));
}
bf16 to_bf16(float value) noexcept {
  return detail::element_from_double<bf16>(static_cast<double>(value));
}
fp8_e4m3 to_fp8_e4m3(float value) noexcept {
  return detail::element_from_double<fp8_e4m3>(static_cast<double>(value));
}
fp8_e5m2 to_fp8_e5m2(float value) noexcept {
  return detail::element_from_double<fp8_e5m2>(static_cast<double>(value));
}

double ulp_at(const DType& dtype, double x) {
  if (dtype.kind != DType::Kind::floating) return 1.0;
  if (std::isnan(x)) return x;
  const double magnitude = std::min(std::fabs(x), dtype.largest);
  const int exponent = std::max(exponent_of(magnitude, dtype.min_exponent), dtype.min_exponent);
  return power_of_two(exponent - (dtype.significand_digits - 1));
}

const DType* find_dtype(const std::string& name) {
  static const std::array<const DType*, 14> shipped = {
      &dtype_of<double>(),        &dtype_of<float>(),        &dtype_of<f16>(),
      &dtype_of<bf16>(),          &dtype_of<fp8_e4m3>(),     &dtype_of<fp8_e5m2>(),
      &dtype_of<std::int8_t>(),   &dtype_of<std::int16_t>(), &dtype_of<std::int32_t>(),
      &dtype_of<std::int64_t>(),  &dtype_of<std::uint8_t>(), &dtype_of<std::uint16_t>(),
      &dtype_of<std::uint32_t>(), &dtype_of<std::uint64_t>()};
  for (const DType* dtype : shipped) {
    if (dtype->name == name) return dtype;
  }
  return nullptr;
}

}  // namespace assay
