// SPDX-License-Identifier: MIT
//
// Numbers and lists in messages and names.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

namespace assay::detail {

// The shortest text that reads back as the same number.
inline std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

// Four digits: for sizes of errors.
inline std::string short_text(double value) {
  if (std::isnan(value)) return "NaN";
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 4);
  return std::string(buffer, result.ptr);
}

}  // namespace assay::detail
