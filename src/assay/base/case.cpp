// SPDX-License-Identifier: MIT
#include "assay/base/case.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "assay/base/error.hpp"

namespace assay {
namespace {

std::string float_text(double value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  // 2.0 prints as "2", which would read back as an integer.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

template <typename Number>
bool reads_whole(std::string_view text, Number& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

std::string to_text(const AxisValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return float_text(*number);
  return std::get<std::string>(value);
}

AxisValue axis_value_from_text(std::string_view text) {
  std::int64_t integer = 0;
  if (reads_whole(text, integer)) return integer;
  double number = 0;
  if (reads_whole(text, number)) return number;
  return std::string(text);
}

bool can_stand_in_id(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || c == ',' || c == '"' || c == '=' || c == '/' || byte == 0x7f;
  });
}

Case::Case(std::vector<Entry> entries) : entries_(std::move(entries)) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ASSAY_EXPECTS(can_stand_in_id(entries_[i].first));
    ASSAY_EXPECTS(can_stand_in_id(to_text(entries_[i].second)));
    for (std::size_t j = 0; j < i; ++j) ASSAY_EXPECTS(entries_[j].first != entries_[i].first);
  }
}

std::string Case::id() const {
  if (entries_.empty()) return "-";
  std::string text;
  for (const auto& [name, value] : entries_) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

Case Case::parse(std::string_view id) {
  if (id == "-") return Case();
  const std::string whole(id);
  std::vector<Entry> entries;
  while (!id.empty()) {
    const auto blank = id.find(' ');
    const auto word = id.substr(0, blank);
    const auto equals = word.find('=');
    const bool well_formed = equals != std::string_view::npos &&
                             can_stand_in_id(word.substr(0, equals)) &&
                             can_stand_in_id(word.substr(equals + 1));
    const bool repeated =
        well_formed && std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
          return entry.first == word.substr(0, equals);
        });
    if (!well_formed || repeated || blank == id.size() - 1) {
      throw Error(ErrorKind::bad_input, "cannot read the case '" + whole +
                                            "': expected name=value pairs separated by one blank, "
                                            "each name once, or '-' for a problem without axes");
    }
    entries.emplace_back(std::string(word.substr(0, equals)),
                         axis_value_from_text(word.substr(equals + 1)));
    if (blank == std::string_view::npos) break;
    id.remove_prefix(blank + 1);
  }
  if (entries.empty()) {
    throw Error(ErrorKind::bad_input,
                "cannot read an empty case: '-' stands for a problem without axes");
  }
  return Case(std::move(entries));
}

const AxisValue* Case::find(std::string_view name) const noexcept {
  for (const auto& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

const AxisValue& Case::at(std::string_view name, const char* wanted) const {
  if (const auto* value = find(name)) return *value;
  throw Error(ErrorKind::usage, "the case '" + id() + "' has no axis '" + std::string(name) +
                                    "' (asked for as " + wanted + ")");
}

std::int64_t Case::integer(std::string_view name) const {
  const auto& value = at(name, "an integer");
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  throw Error(ErrorKind::usage,
              "the axis '" + std::string(name) + "' of the case '" + id() + "' is not an integer");
}

double Case::number(std::string_view name) const {
  const auto& value = at(name, "a number");
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  throw Error(ErrorKind::usage,
              "the axis '" + std::string(name) + "' of the case '" + id() + "' is not a number");
}

const std::string& Case::text(std::string_view name) const {
  const auto& value = at(name, "text");
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  throw Error(ErrorKind::usage,
              "the axis '" + std::string(name) + "' of the case '" + id() + "' is not text");
}

}  // namespace assay
