// SPDX-License-Identifier: MIT
//
// Case: one point of a problem's axes, such as n=1024 dtype=f32. An ordered list of names and
// values.
//
// Its text form is the identity of the case everywhere (samples.csv, the result, --filter): names
// in the order of the axes, `name=value` separated by one space, so that it needs no quoting in a
// CSV file. Text values therefore hold no blanks, commas, quotes or equals signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay {

// The value of one axis. A float must be written with a point or an exponent, so that text says the
// type.
using AxisValue = std::variant<std::int64_t, double, std::string>;

// "1024", "0.5", "f32": the shortest text that reads back as the same value.
std::string to_text(const AxisValue& value);

// The inverse of to_text: an integer if all of it is one, else a float if all of it is one, else a
// string.
AxisValue axis_value_from_text(std::string_view text);

// Whether text can be the name or the value of an axis, a state or a problem.
bool can_stand_in_id(std::string_view text);

class Case {
 public:
  using Entry = std::pair<std::string, AxisValue>;

  Case() = default;
  // Throws a caller's-bug Error on an empty or repeated name, or on text that cannot stand in an
  // identity.
  explicit Case(std::vector<Entry> entries);

  // "n=1024 dtype=f32"; "-" for a problem without axes.
  std::string id() const;
  // The inverse of id(). Throws Error{bad_input}.
  static Case parse(std::string_view id);

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  // nullptr if there is no such axis.
  const AxisValue* find(std::string_view name) const noexcept;

  // Throws Error{usage} that lists the axes if the axis is absent or holds another type. number()
  // also takes an integer.
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  friend bool operator==(const Case& a, const Case& b) { return a.entries_ == b.entries_; }
  friend bool operator!=(const Case& a, const Case& b) { return !(a == b); }

 private:
  const AxisValue& at(std::string_view name, const char* wanted) const;
  std::vector<Entry> entries_;
};

}  // namespace assay
