// SPDX-License-Identifier: MIT
#include "assay/report/columns.hpp"

#include <algorithm>

#include "assay/base/error.hpp"

namespace assay::report {
namespace {

// Not a continuation byte of UTF-8.
bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

std::size_t width_of(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

std::string cut_to(std::string_view utf8, std::size_t columns) {
  if (width_of(utf8) <= columns) return std::string(utf8);
  if (columns == 0) return {};
  std::size_t seen = 0;
  std::size_t end = 0;
  while (end < utf8.size()) {
    if (starts_character(utf8[end]) && seen++ == columns - 1) break;
    ++end;
  }
  return std::string(utf8.substr(0, end)) + "…";
}

std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string text;
  std::size_t used = 0;
  std::size_t start = 0;
  while (start < utf8.size()) {
    const std::size_t end = std::min(utf8.find(' ', start), utf8.size());
    const std::string_view word = utf8.substr(start, end - start);
    start = end + 1;
    if (word.empty()) continue;
    const std::size_t width = width_of(word);
    if (used == 0) {
      text += margin;
      used = indent;
    } else if (used + 1 + width > columns) {
      text += "\n" + margin;
      used = indent;
    } else {
      text += ' ';
      ++used;
    }
    text += word;
    used += width;
  }
  return text + "\n";
}

void Columns::add(std::vector<std::string> cells) {
  ASSAY_EXPECTS(cells.size() == right_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::string> Columns::lines(std::size_t indent) const {
  std::vector<std::size_t> widths(right_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right_[i] ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace assay::report
