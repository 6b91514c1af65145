// SPDX-License-Identifier: MIT
#include "assay/report/page_check.hpp"

#include <algorithm>
#include <filesystem>

#include "assay/record/files.hpp"
#include "assay/report/html.hpp"

namespace assay::report {

PageCheck check_page(const record::Record& record, const judge::Result& result,
                     const std::string& version) {
  const auto file = record.path / "data" / "report.html";
  if (!std::filesystem::is_regular_file(file)) return {};
  const std::string& made_by = record.evidence.plan.assay_version;
  if (made_by != version) {
    return {"", "report.html was made by Assay " + made_by + " and this is " + version +
                    ": of the page only the checksum was compared"};
  }
  const std::string stored = record::read_file(file);
  const std::string made = html_page(record, result);
  if (stored == made) return {};
  const auto [at, other] = std::mismatch(stored.begin(), stored.end(), made.begin(), made.end());
  const auto line = 1 + std::count(stored.begin(), at, '\n');
  return {
      "report.html: not the page that this version makes from the record; they differ from "
      "line " +
          std::to_string(line) + " on",
      ""};
}

}  // namespace assay::report
