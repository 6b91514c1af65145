// SPDX-License-Identifier: MIT
//
// Small pieces of HTML. Text from outside (names, words of an experiment, messages of programs)
// goes through escaped() and nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::report {

// & < > " ' as entities, and control characters other than newline and tab as "�".
std::string escaped(std::string_view text);

// "<tag>escaped text</tag>".
std::string element(std::string_view tag, std::string_view text);

// A table with caption and a header row; cells are markup already, header and caption are text.
class TableMarkup {
 public:
  TableMarkup(std::string_view caption, const std::vector<std::string>& header);
  // The first cell of a row is its header. A cell that begins with a digit is not wrapped; the
  // table scrolls by itself where the page is narrow.
  void row(const std::vector<std::string>& cells);
  std::string markup() const { return text_ + "</tbody></table></div>\n"; }

 private:
  std::string text_;
};

// A table of rows of text, the first of which is the header; empty without rows.
std::string text_table(std::string_view caption, const std::vector<std::vector<std::string>>& rows);

// A list of term and description; entries with an empty description are left out.
std::string definitions(const std::vector<std::pair<std::string, std::string>>& entries);

std::string bullets(const std::vector<std::string>& sentences);

}  // namespace assay::report
