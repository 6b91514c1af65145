// SPDX-License-Identifier: MIT
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/startup_words.hpp"

namespace assay::report {

std::string startup_section(const judge::Result& result) {
  std::string tables;
  for (const judge::CellResult& cell : result.cells) {
    const StartupTable found = startup_table(cell);
    if (found.rows.empty()) continue;
    TableMarkup table(cell.cell, found.header);
    for (std::vector<std::string> row : found.rows) {
      for (std::string& text : row) text = escaped(text);
      table.row(row);
    }
    tables += table.markup() + bullets(found.notes);
  }
  if (tables.empty()) return "";
  return "<section>\n<h2>From the start of a process to its first result</h2>\n" + tables +
         element("p", startup_sentence) + "</section>\n";
}

}  // namespace assay::report
