// SPDX-License-Identifier: MIT
//
// Logarithm and power of two from +, −, ×, ÷ of IEEE double and exact scaling alone: the platform's
// libm differs in the last bit from one system to the next, and inputs must not.
#pragma once

#include <cmath>

namespace assay::detail {

inline constexpr double ln2 = 0.693147180559945309417;

// Natural logarithm of a positive normal number: x = m · 2^e with m in [√½, √2), and
// ln m = 2 artanh(s), s = (m − 1) / (m + 1), |s| ≤ 0.1716: eleven terms reach 2^−53.
inline double log_of(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact; [½, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / static_cast<double>(k);
  return 2 * s * sum + static_cast<double>(exponent) * ln2;
}

// 2^x for |x| ≤ 1000: the whole part by exact scaling, the rest, at most ½, by its Taylor series.
inline double exp2_of(double x) noexcept {
  const double whole = (x + 0x1.8p52) - 0x1.8p52;  // nearest integer
  const double r = (x - whole) * ln2;
  double sum = 1;
  for (int k = 14; k >= 1; --k) sum = 1 + sum * r / static_cast<double>(k);
  return std::ldexp(sum, static_cast<int>(whole));
}

}  // namespace assay::detail
