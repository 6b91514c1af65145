// SPDX-License-Identifier: MIT
//
// Dimensions: what else than its axes makes a case what it is, because a compiler or a library
// chooses its code by it: m, n, k, layouts, the epilogue, a batch, a precision policy. They are
// recorded beside the case and measured by nobody; what is varied is an axis.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/base/case.hpp"

namespace assay {

class Dimensions {
 public:
  using Entry = Case::Entry;

  // In the order in which they are said. Names are like those of axes (no blanks, commas, quotes,
  // equals signs or slashes); texts may hold blanks ("bias + relu"), but no control characters, and
  // have 1 to 200 bytes. Throws Error{usage} for another, for a number that is not finite and for a
  // name that is said twice.
  Dimensions& set(const std::string& name, AxisValue value);
  Dimensions& set(const std::string& name, const char* value);
  Dimensions& set(const std::string& name, const std::string& value);
  // Numbers of any type, but for integers above 2^63 - 1; "true" and "false".
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  Dimensions& set(const std::string& name, T value) {
    if constexpr (std::is_same<T, bool>::value) {
      return set(name, value ? "true" : "false");
    } else if constexpr (std::is_floating_point<T>::value) {
      return set(name, AxisValue(static_cast<double>(value)));
    } else if constexpr (std::is_unsigned<T>::value && sizeof(T) == sizeof(std::int64_t)) {
      return set_unsigned(name, value);
    } else {
      return set(name, AxisValue(static_cast<std::int64_t>(value)));
    }
  }

  const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  Dimensions& set_unsigned(const std::string& name, std::uint64_t value);
  std::vector<Entry> entries_;
};

using DimensionModel = std::function<Dimensions(const Case&)>;

}  // namespace assay
