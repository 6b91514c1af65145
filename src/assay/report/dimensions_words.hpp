// SPDX-License-Identifier: MIT
//
// What a cell's case is beyond its axes, as the details and the page show it. Internal to report/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/judge/result.hpp"

namespace assay::report {

// The head, then a row for each tensor; nothing without any.
std::vector<std::vector<std::string>> operands_table(const judge::CellResult& cell);

// What was declared, and each subject's parameters, with what they are of: "Dimensions" → "m 64,
// layout row".
std::vector<std::pair<std::string, std::string>> declared_of(const judge::CellResult& cell);

}  // namespace assay::report
