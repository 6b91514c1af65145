// SPDX-License-Identifier: MIT
//
// What is said of the phases of a cold start. Internal to report/.
#pragma once

#include <string>
#include <vector>

#include "assay/judge/result.hpp"

namespace assay::report {

// The columns of a table: "subject", then those phases that any subject of the cell has.
struct StartupTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // a subject each, times as text
  std::vector<std::string> notes;              // which phases there are none of, and why
};
// Empty (no rows) where the cell is none of the boundary cold-start.
StartupTable startup_table(const judge::CellResult& cell);

// What the phases are: a sentence to stand beside such tables.
inline constexpr const char* startup_sentence =
    "Medians over the trials. The interval is load and call; the other phases stand beside it.";

}  // namespace assay::report
