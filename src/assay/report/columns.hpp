// SPDX-License-Identifier: MIT
//
// Text in columns: widths are counted in code points, since times are given in µs. Every character
// that Assay prints itself is one column wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

std::size_t width_of(std::string_view utf8);

// At most so many columns; what is cut is shown by "…".
std::string cut_to(std::string_view utf8, std::size_t columns);

// Broken at blanks to lines of at most `columns`, each after `indent` blanks (the first one too).
// A word that is longer stays whole.
std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent);

// Rows of equal length as aligned text, two blanks between columns, no blanks at the end of a line.
// right: which columns are numbers.
class Columns {
 public:
  explicit Columns(std::vector<bool> right) : right_(std::move(right)) {}
  void add(std::vector<std::string> cells);
  // The lines without newlines; `indent` blanks before each.
  std::vector<std::string> lines(std::size_t indent) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace assay::report
