// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/toml_text.hpp"

#include <array>
#include <charconv>

#include "assay/base/error.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment::detail {

std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      result += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + toml_text(text);
  return "[" + result + "]";
}

std::string toml_value(const AxisValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? toml_text(*text) : to_text(value);
}

std::string duration_text(double seconds) {
  struct Unit {
    const char* name;
    double per_s;
  };
  constexpr std::array<Unit, 5> units = {
      {{"min", 1.0 / 60}, {"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};
  std::string best;
  for (const Unit& unit : units) {
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, seconds * unit.per_s,
                                   std::chars_format::fixed);
    const std::string text = std::string(buffer, end.ptr) + unit.name;
    if (parse_duration_s(text, "duration") != seconds) continue;
    if (best.empty() || text.size() < best.size()) best = text;
  }
  ASSAY_EXPECTS(!best.empty());  // in seconds the number itself reads back
  return best;
}

}  // namespace assay::experiment::detail
