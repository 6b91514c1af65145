// SPDX-License-Identifier: MIT
#include "assay/judge/text.hpp"
#include "assay/report/device_words.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"

namespace assay::report {

namespace {

std::string memory_table(const judge::Result& result) {
  TableMarkup table("Memory, in calibration", {"cell", "subject", "memory"});
  bool is_empty = true;
  for (const judge::CellResult& cell : result.cells) {
    for (const judge::SubjectResult& subject : cell.subjects) {
      if (!subject.memory) continue;
      is_empty = false;
      table.row(
          {escaped(cell.cell), escaped(subject.subject), escaped(memory_text(*subject.memory))});
    }
  }
  return is_empty ? "" : table.markup();
}

}  // namespace

std::string device_section(const judge::Result& result) {
  if (!result.device) return "";
  TableMarkup table("Before and after each measured block", {"what", "value"});
  for (const auto& [what, value] : device_rows(*result.device)) {
    table.row({escaped(what), escaped(value)});
  }
  return "<section>\n<h2>Device during the run</h2>\n" + table.markup() + memory_table(result) +
         element("p",
                 "It describes the run and changes no verdict; flagged samples are kept. A "
                 "reading took " +
                     judge::time_text(result.device->median_reading_ns) +
                     " (median), outside of all intervals. What is not known is not "
                     "absent: a device without a list of processes may still be shared.") +
         "</section>\n";
}

}  // namespace assay::report
