// SPDX-License-Identifier: MIT
//
// The programs of a timed record, found again: counters of another binary say nothing for sure
// about its times. Internal.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/record/companion.hpp"

namespace assay::profile {

// One for each build of the plan, of its first layout where it has several. named: "PATH", or
// "BUILD=PATH" where there are two builds; the others are taken from where they lay. Throws
// Error{usage} for a name that makes no sense, Error{bad_input} where a program is gone, or is not
// the one that was timed unless allow_other.
std::vector<record::ProfiledProgram> programs_of(const experiment::Plan& plan,
                                                 const std::vector<std::string>& named,
                                                 bool allow_other);

}  // namespace assay::profile
