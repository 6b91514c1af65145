// SPDX-License-Identifier: MIT
#include "assay/record/csv.hpp"

#include <algorithm>

namespace assay::record::csv {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// For messages: what was found, without what would garble a terminal, and not all of a long one.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result(text.substr(0, longest));
  std::replace_if(result.begin(), result.end(), is_control, '?');
  if (text.size() > longest) result += "...";
  return "'" + result + "'";
}

}  // namespace

void expect_plain(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_control)) {
    throw Error(ErrorKind::bad_input,
                "the name " + shown(text) +
                    " holds a control character (shown as ?), which the tables of a record cannot "
                    "hold: rename it");
  }
}

void append_field(std::string& out, std::string_view field) {
  expect_plain(field);
  if (field.find_first_of(",\"") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string_view Row::quoted() {
  unquoted_.clear();
  std::size_t at = 1;
  for (;;) {
    const auto quote = rest_.find('"', at);
    if (quote == std::string_view::npos) fail("starts with a quote that is never closed");
    unquoted_ += rest_.substr(at, quote - at);
    at = quote + 1;
    if (at == rest_.size() || rest_[at] == ',') break;
    if (rest_[at] != '"') fail("goes on after its closing quote");
    unquoted_ += '"';
    ++at;
  }
  step_over(at);
  return unquoted_;
}

void Row::fail(const std::string& what) const {
  throw Error(ErrorKind::bad_input, std::string(where_) + ":" + std::to_string(line_) + ": '" +
                                        std::string(column_) + "' " + what);
}

void Row::fail_number(const std::string& expected, std::string_view found) const {
  fail("must be " + expected + ", found " + shown(found));
}

void Lines::expect_header(std::string_view line) const {
  if (line != header_) {
    throw Error(ErrorKind::bad_input, where_ + ":1: expected the columns " + std::string(header_) +
                                          "; found " + shown(line));
  }
}

void Lines::finish(bool allow_cut_tail) const {
  if (line_ == 0 && !header_.starts_with(rest_)) expect_header(rest_);
  if (allow_cut_tail) return;
  if (line_ == 0) {
    throw Error(ErrorKind::bad_input,
                where_ + ": the file ends before the line of columns does; it is empty or cut off");
  }
  if (!rest_.empty()) {
    throw Error(ErrorKind::bad_input,
                where_ + ":" + std::to_string(line_ + 1) + ": the last line is cut off");
  }
}

}  // namespace assay::record::csv
