// SPDX-License-Identifier: MIT
//
// Logarithm and power of two from +, −, ×, ÷ of IEEE double and exact scaling alone: the platform's
// libm differs in the last bit from one system to the next, and inputs must not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/problem/detail/small_float.hpp"

namespace assay::detail {

inline constexpr double ln2 = 0.693147180559945309417;

// Natural logarithm of a positive normal number: x = m · 2^e with m in [√½, √2), and
// ln m = 2 artanh(s), s = (m − 1) / (m + 1), |s| ≤ 0.1716: eleven terms reach 2^−53.
inline double log_of(double x) noexcept {
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t bits = bits_of(x);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  double m = double_of((bits & fraction) | (std::uint64_t{1022} << 52));  // [½, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  constexpr std::array<double, 11> reciprocals = {1.0,        1.0 / 3.0,  1.0 / 5.0,  1.0 / 7.0,
                                                  1.0 / 9.0,  1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0,
                                                  1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0};
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (std::size_t k = reciprocals.size(); k-- > 0;) sum = sum * square + reciprocals[k];
  return 2 * s * sum + static_cast<double>(exponent) * ln2;
}

// 2^x for |x| ≤ 1000: the whole part by exact scaling, the rest, at most ½, by its Taylor series.
inline double exp2_of(double x) noexcept {
  // 1/k!
  constexpr std::array<double, 15> coefficients = {1.0,
                                                   1.0,
                                                   1.0 / 2.0,
                                                   1.0 / 6.0,
                                                   1.0 / 24.0,
                                                   1.0 / 120.0,
                                                   1.0 / 720.0,
                                                   1.0 / 5040.0,
                                                   1.0 / 40320.0,
                                                   1.0 / 362880.0,
                                                   1.0 / 3628800.,
                                                   1.0 / 39916800.,
                                                   1.0 / 479001600.,
                                                   1.0 / 6227020800.,
                                                   1.0 / 87178291200.};
  const double whole = (x + 0x1.8p52) - 0x1.8p52;  // nearest integer
  const double r = (x - whole) * ln2;
  double sum = 0;
  for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * r + coefficients[k];
  return sum * double_of(static_cast<std::uint64_t>(1023 + static_cast<int>(whole)) << 52);
}

}  // namespace assay::detail
