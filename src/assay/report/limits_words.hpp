// SPDX-License-Identifier: MIT
//
// The machine's limits beside the times, as the table and the page show them.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::report {

// The head, then a row for each subject of which a bound is known; nothing without any.
std::vector<std::vector<std::string>> limits_table(const judge::Result& result,
                                                   const experiment::Plan& plan);

// What the columns mean and where the ceilings come from.
std::string limits_note(const experiment::Plan& plan);

}  // namespace assay::report
