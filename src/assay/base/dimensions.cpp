// SPDX-License-Identifier: MIT
#include "assay/base/dimensions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

constexpr std::size_t kLongest = 200;

bool is_printable(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7f;
  });
}

// Empty if there is none.
std::string trouble_with(const AxisValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? "" : "a number that is not finite";
  }
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "";
  if (text->empty() || text->size() > kLongest)
    return "a text of " + std::to_string(text->size()) + " bytes; expected 1 to 200";
  return is_printable(*text) ? "" : "a text with control characters";
}

}  // namespace

Dimensions& Dimensions::set(const std::string& name, const char* value) {
  return set(name, AxisValue(std::string(value)));
}

Dimensions& Dimensions::set(const std::string& name, const std::string& value) {
  return set(name, AxisValue(value));
}

Dimensions& Dimensions::set_unsigned(const std::string& name, std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(ErrorKind::usage, "the dimension '" + name + "' is " + std::to_string(value) +
                                      ", which is too large; give it as a text");
  }
  return set(name, AxisValue(static_cast<std::int64_t>(value)));
}

Dimensions& Dimensions::set(const std::string& name, AxisValue value) {
  const auto fail = [](const std::string& trouble) { throw Error(ErrorKind::usage, trouble); };
  if (!can_stand_in_id(name) || name.size() > kLongest) {
    fail(
        "'" + name.substr(0, kLongest) +
        "' cannot name a dimension; expected 1 to 200 bytes without blanks, commas, quotes, equals "
        "signs and slashes");
  }
  const std::string trouble = trouble_with(value);
  if (!trouble.empty()) fail("the dimension '" + name + "' is " + trouble);
  for (const Entry& entry : entries_) {
    if (entry.first == name) fail("the dimension '" + name + "' is set twice");
  }
  entries_.emplace_back(name, std::move(value));
  return *this;
}

}  // namespace assay
