// SPDX-License-Identifier: MIT
//
// Reading<T>: a value that was read, or the reason why it could not be.
//
// A measurement tool meets many things that it cannot know: a counter that is not permitted, an
// interval of too few trials, a frequency that a virtual machine hides. Storing 0, NaN or -1 for
// those invents a number; std::optional forgets why. A Reading keeps the reason from the sensor to
// the page. It is not an error type: an operation that failed throws assay::Error.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "assay/base/error.hpp"

namespace assay {

// Why a value is absent. `reason` is a short stable slug ("not-permitted", "too-few-values");
// `detail` is a sentence for people.
struct Missing {
  std::string reason;
  std::string detail;

  friend bool operator==(const Missing& a, const Missing& b) {
    return a.reason == b.reason && a.detail == b.detail;
  }
};

template <typename T>
class Reading {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a value is a reading
  Reading(T value) : content_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): so is its absence
  Reading(Missing missing) : content_(std::move(missing)) {}

  bool has_value() const noexcept { return std::holds_alternative<T>(content_); }
  explicit operator bool() const noexcept { return has_value(); }

  // Throws a caller's-bug Error when missing: ask has_value() first.
  const T& value() const {
    ASSAY_EXPECTS(has_value());
    return std::get<T>(content_);
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

  // Throws a caller's-bug Error when the value is there.
  const Missing& missing() const {
    ASSAY_EXPECTS(!has_value());
    return std::get<Missing>(content_);
  }

  // The reading of f(value), or the same absence.
  template <typename F>
  auto transform(F&& f) const -> Reading<decltype(f(std::declval<const T&>()))> {
    if (has_value()) return std::forward<F>(f)(value());
    return missing();
  }

  friend bool operator==(const Reading& a, const Reading& b) { return a.content_ == b.content_; }

 private:
  std::variant<T, Missing> content_;
};

}  // namespace assay
