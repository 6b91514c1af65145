// SPDX-License-Identifier: MIT
#include "assay/report/html_sections.hpp"
#include "assay/report/limits_words.hpp"
#include "assay/report/markup.hpp"

namespace assay::report {

std::string limits_section(const judge::Result& result, const experiment::Plan& plan) {
  const auto rows = limits_table(result, plan);
  if (rows.empty()) return "";
  TableMarkup table("What this machine allows, and how near each subject comes to it",
                    rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const std::string& cell : rows[i]) cells.push_back(escaped(cell));
    table.row(cells);
  }
  return "<section>\n<h2>Limits</h2>\n" + table.markup() + element("p", limits_note(plan)) +
         "</section>\n";
}

}  // namespace assay::report
