// SPDX-License-Identifier: MIT
//
// The subset of RFC 4180 that the record's tables are written in: UTF-8, lines end in one LF, and a
// row is a line. Fields that hold commas or quotes are quoted; control characters, line breaks
// among them, are refused on both sides. So a file that was cut off anywhere can be told from a
// whole one by its last byte, and any tool that reads lines can read it.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "assay/base/error.hpp"

namespace assay::record::csv {

// Throws Error{bad_input} if the text holds a control character.
void expect_plain(std::string_view text);

// The field, quoted if it must be. Throws Error{bad_input} as expect_plain does.
void append_field(std::string& out, std::string_view field);

template <typename Number>
void append_number(std::string& out, Number number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end.ptr);
}

// The fields of one line, from left to right. All members throw Error{bad_input} that names the
// line and the column.
class Row {
 public:
  // where: "samples.csv"; line: its number from 1; text: without its line end.
  Row(std::string_view where, std::uint64_t line, std::string_view text)
      : where_(where), line_(line), rest_(text) {}

  // The next field without its quotes; valid until the next call.
  std::string_view text(std::string_view column) {
    column_ = column;
    if (at_end_) fail("is missing: the line has too few fields");
    if (!rest_.empty() && rest_.front() == '"') return quoted();
    std::size_t size = 0;
    while (size < rest_.size() && rest_[size] != ',') {
      if (rest_[size] == '"') fail("holds a quote but does not start with one");
      ++size;
    }
    const std::string_view field = rest_.substr(0, size);
    step_over(size);
    return field;
  }

  template <typename Integer>
  Integer integer(std::string_view column, Integer at_least) {
    return to_integer(text(column), at_least);
  }

  // The field that text() gave last, as a number.
  template <typename Integer>
  Integer to_integer(std::string_view field, Integer at_least) const {
    Integer value{};
    const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (failure != std::errc() || end != field.data() + field.size() || value < at_least) {
      fail_number("an integer of at least " + std::to_string(at_least), field);
    }
    return value;
  }

  double number(std::string_view column, double at_least) {
    const std::string_view field = text(column);
    double value = 0;
    const auto [end, failure] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (failure != std::errc() || end != field.data() + field.size() || !std::isfinite(value) ||
        value < at_least) {
      fail_number("a finite number that is not negative", field);
    }
    return value;
  }

  // For lines that begin as the line before did, up to and with a comma: the text up to the next
  // field of this line, and stepping over as much of another.
  std::string_view begin_of(std::string_view line) const {
    return line.substr(0, line.size() - rest_.size());
  }
  bool step_over_begin(std::string_view begin) {
    if (begin.empty() || !rest_.starts_with(begin)) return false;
    rest_.remove_prefix(begin.size());
    return true;
  }
  std::string_view rest() const { return rest_; }

  void finish() {
    if (!at_end_) fail("is followed by more fields than the header has");
  }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string_view quoted();
  void step_over(std::size_t size) {
    at_end_ = size == rest_.size();
    rest_.remove_prefix(at_end_ ? size : size + 1);
  }
  [[noreturn]] void fail_number(const std::string& expected, std::string_view found) const;

  std::string_view where_;
  std::uint64_t line_;
  std::string_view rest_;
  std::string_view column_;
  bool at_end_ = false;
  std::string unquoted_;
};

// A table's text in pieces of any size, as lines.
class Lines {
 public:
  Lines(std::string where, std::string_view header) : where_(std::move(where)), header_(header) {}

  // Calls take(Row&) for each line that the piece completes.
  template <typename F>
  void add(std::string_view piece, F&& take) {
    while (!piece.empty()) {
      const auto end = piece.find('\n');
      if (end == std::string_view::npos) {
        rest_ += piece;
        return;
      }
      std::string_view line = piece.substr(0, end);
      if (!rest_.empty()) {
        rest_ += line;
        line = rest_;
      }
      ++line_;
      if (line_ == 1) {
        expect_header(line);
      } else {
        Row row(where_, line_, line);
        take(row);
        row.finish();
      }
      rest_.clear();
      piece.remove_prefix(end + 1);
    }
  }

  // Throws Error{bad_input} if the header never came, or the last line has no end and that is not
  // allowed.
  void finish(bool allow_cut_tail) const;

 private:
  void expect_header(std::string_view line) const;

  std::string where_;
  std::string_view header_;
  std::uint64_t line_ = 0;
  std::string rest_;
};

}  // namespace assay::record::csv
