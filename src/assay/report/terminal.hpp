// SPDX-License-Identifier: MIT
//
// The result for a terminal: a table of subjects and comparisons, then in plain words what was
// predicted, what is not decided and why, what weakens the numbers, and the claims. Nothing is
// told by colour alone.
#pragma once

#include <string>

#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::report {

struct TerminalStyle {
  bool colour = false;
  int width = 100;  // columns; text is wrapped to it, the table drops columns below 96 and 110
};

// What stands behind the table: for each subject of each cell the statistics of its samples, for
// each comparison what ranks say, for each cell advice on blocks. For `assay show --details`.
std::string details_text(const judge::Result& result, TerminalStyle style);

std::string result_table(const judge::Result& result, const experiment::Plan& plan,
                         TerminalStyle style);

}  // namespace assay::report
