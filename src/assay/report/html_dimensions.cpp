// SPDX-License-Identifier: MIT
#include "assay/report/dimensions_words.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"

namespace assay::report {

std::string dimensions_part(const judge::CellResult& cell) {
  std::string text = text_table("What the calls work on", operands_table(cell));
  const auto declared = declared_of(cell);
  return declared.empty() ? text : text + definitions(declared);
}

}  // namespace assay::report
