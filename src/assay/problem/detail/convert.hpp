// SPDX-License-Identifier: MIT
//
// One element of a shipped C++ type to and from double, inline, so that loops over many elements
// have no call in them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "assay/problem/detail/small_float.hpp"
#include "assay/problem/dtype.hpp"

namespace assay::detail {

// Nearest, ties to even; saturates; NaN gives 0.
template <typename T>
T integer_from_double(double value) noexcept {
  if (value != value) return 0;
  // Beyond 2^52 every double is an integer; below, this sum rounds to one.
  constexpr double rounder = 0x1p52;
  if (value >= 0 && value < rounder) {
    value = (value + rounder) - rounder;
  } else if (value < 0 && value > -rounder) {
    value = (value - rounder) + rounder;
  }
  // The highest value may not be a double; one above it always is, being a power of two.
  constexpr double limit = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  if (value >= limit) return std::numeric_limits<T>::max();
  constexpr double low = std::is_signed_v<T> ? -limit : 0.0;
  if (value < low) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <typename T>
double element_to_double(T value) noexcept {
  if constexpr (std::is_same_v<T, f16>) {
    return F16::decode(value.bits);
  } else if constexpr (std::is_same_v<T, bf16>) {
    return Bf16::decode(value.bits);
  } else if constexpr (std::is_same_v<T, fp8_e4m3>) {
    return E4m3::decode(value.bits);
  } else if constexpr (std::is_same_v<T, fp8_e5m2>) {
    return E5m2::decode(value.bits);
  } else {
    return static_cast<double>(value);
  }
}

template <typename T>
T element_from_double(double value) noexcept {
  if constexpr (std::is_same_v<T, f16>) {
    return f16{static_cast<std::uint16_t>(F16::encode(value))};
  } else if constexpr (std::is_same_v<T, bf16>) {
    return bf16{static_cast<std::uint16_t>(Bf16::encode(value))};
  } else if constexpr (std::is_same_v<T, fp8_e4m3>) {
    return fp8_e4m3{static_cast<std::uint8_t>(E4m3::encode(value))};
  } else if constexpr (std::is_same_v<T, fp8_e5m2>) {
    return fp8_e5m2{static_cast<std::uint8_t>(E5m2::encode(value))};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return integer_from_double<T>(value);
  }
}

}  // namespace assay::detail
