// SPDX-License-Identifier: MIT
#include "assay/judge/text.hpp"
#include "assay/report/device_words.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"

namespace assay::report {

std::string device_section(const judge::Result& result) {
  if (!result.device) return "";
  TableMarkup table("Before and after each measured block", {"what", "value"});
  for (const auto& [what, value] : device_rows(*result.device)) {
    table.row({escaped(what), escaped(value)});
  }
  return "<section>\n<h2>Device during the run</h2>\n" + table.markup() +
         element("p",
                 "It describes the run and changes no verdict; flagged samples are kept. A "
                 "reading took " +
                     judge::time_text(result.device->median_reading_ns) +
                     " (median), outside of all intervals. What is not known is not "
                     "absent: a device without a list of processes may still be shared.") +
         "</section>\n";
}

}  // namespace assay::report
