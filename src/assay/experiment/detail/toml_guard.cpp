// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/toml_guard.hpp"

#include <algorithm>
#include <string_view>

namespace assay::experiment::detail {
namespace {

constexpr std::ptrdiff_t most_points_in_a_line = 400;

TomlTrouble trouble_with_points(const std::string& text) {
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const auto first = text.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = text.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::count(first, last, '.') > most_points_in_a_line) {
      return {number, "too many points in one line; expected the text spread over more lines"};
    }
    start = end + 1;
  }
  return {};
}

// The place after the text in quotes that begins at `start`; of one that does not end, the place
// where toml++ gives up or later.
std::size_t end_of_quoted(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const std::string three(3, quote);
  const bool is_long = text.substr(start, 3) == three;
  std::size_t at = start + (is_long ? 3 : 1);
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      at += 2;
    } else if (is_long && text.substr(at, 3) == three) {
      at += 3;
      // Up to two quotes may stand before the closing three.
      for (int extra = 0; extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;
      return at;
    } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace

TomlTrouble trouble_before_toml(const std::string& text) {
  // A byte order mark may stand first.
  const std::string_view mark = "\xEF\xBB\xBF";
  std::size_t at = std::string_view(text).substr(0, mark.size()) == mark ? mark.size() : 0;
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const auto before = text.begin() + static_cast<std::ptrdiff_t>(at);
      return {1 + static_cast<std::size_t>(std::count(text.begin(), before, '\n')),
              "not TOML: a character beyond ASCII outside a text; expected quotes around it"};
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      at = end_of_quoted(text, at);
    } else {
      ++at;
    }
  }
  return trouble_with_points(text);
}

}  // namespace assay::experiment::detail
