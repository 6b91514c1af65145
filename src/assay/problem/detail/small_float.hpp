// SPDX-License-Identifier: MIT
//
// Conversion between double and the narrow binary floating formats, described by their numbers of
// bits. Straight from double, so that rounding happens once: by way of float a value just above the
// middle of two f16 neighbours could be rounded twice.
#pragma once

#include <cstdint>
#include <cstring>

namespace assay::detail {

inline std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double double_of(std::uint64_t bits) noexcept {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Sign, exponent_bits, fraction_bits; ieee: the highest exponent is infinity and NaN. Without ieee
// (OCP E4M3) only the all-ones pattern is NaN and there is no infinity.
template <int exponent_bits, int fraction_bits, bool ieee>
struct SmallFloat {
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr int min_exponent = 1 - bias;
  static constexpr std::uint32_t sign_bit = 1U << (exponent_bits + fraction_bits);
  static constexpr std::uint32_t all_ones = sign_bit - 1;
  static constexpr std::uint32_t infinity = all_ones & ~((1U << fraction_bits) - 1U);
  static constexpr std::uint32_t largest = ieee ? infinity - 1 : all_ones - 1;
  static constexpr std::uint32_t quiet_nan =
      ieee ? infinity | (1U << (fraction_bits - 1)) : all_ones;
  static constexpr std::uint32_t overflow = ieee ? infinity : all_ones;

  static double decode(std::uint32_t bits) noexcept {
    const std::uint64_t sign = std::uint64_t{(bits & sign_bit) != 0} << 63;
    const std::uint32_t magnitude = bits & all_ones;
    if (magnitude > largest) {
      if (ieee && magnitude == infinity) return double_of(sign | 0x7FF0000000000000U);
      return double_of(sign | 0x7FF8000000000000U);
    }
    if (magnitude < (1U << fraction_bits)) {
      // Subnormal: an integer times the step, exact in double.
      const double step =
          double_of(static_cast<std::uint64_t>(1023 + min_exponent - fraction_bits) << 52);
      return double_of(sign | bits_of(static_cast<double>(magnitude) * step));
    }
    const std::uint64_t shifted = std::uint64_t{magnitude} << (52 - fraction_bits);
    return double_of(sign | (shifted + (std::uint64_t{1023 - bias} << 52)));
  }

  // Nearest, ties to even.
  static std::uint32_t encode(double value) noexcept {
    const std::uint64_t bits = bits_of(value);
    const std::uint32_t sign = (bits >> 63) != 0 ? sign_bit : 0U;
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    if (magnitude > 0x7FF0000000000000U) return sign | quiet_nan;
    constexpr std::uint64_t smallest_normal = static_cast<std::uint64_t>(1023 + min_exponent) << 52;
    if (magnitude < smallest_normal) {
      // The unit in the last place of this number is the subnormal step: adding it rounds there,
      // and the sum's low bits count the steps. A count of 2^fraction_bits is the smallest normal.
      constexpr std::uint64_t rounder =
          static_cast<std::uint64_t>(1023 + min_exponent - fraction_bits + 52) << 52;
      const double sum = double_of(magnitude) + double_of(rounder);
      return sign | static_cast<std::uint32_t>(bits_of(sum) - rounder);
    }
    constexpr int dropped = 52 - fraction_bits;
    const std::uint64_t half_less_one = (std::uint64_t{1} << (dropped - 1)) - 1;
    const std::uint64_t rounded =
        (magnitude + half_less_one + ((magnitude >> dropped) & 1)) >> dropped;
    const std::uint64_t rebiased = rounded - (std::uint64_t{1023 - bias} << fraction_bits);
    return sign | (rebiased > largest ? overflow : static_cast<std::uint32_t>(rebiased));
  }
};

using F16 = SmallFloat<5, 10, true>;
using Bf16 = SmallFloat<8, 7, true>;
using E4m3 = SmallFloat<4, 3, false>;
using E5m2 = SmallFloat<5, 2, true>;

}  // namespace assay::detail
