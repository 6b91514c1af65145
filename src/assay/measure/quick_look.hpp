// SPDX-License-Identifier: MIT
//
// What a program does when it is run by hand: a quick look, a list. Internal.
#pragma once

#include <iosfwd>
#include <string>

#include "assay/measure/program.hpp"

namespace assay::measure {

// A table of every subject on its cases, warm: fewest and median time of a call over a few samples,
// or why its output is not right. Stops taking up new cases after budget_s and says so.
void quick_look(const Program& program, const std::string& program_path, std::ostream& out,
                double budget_s = 20);

// Problems, axes, cases and subjects.
void list(const Program& program, std::ostream& out);

}  // namespace assay::measure
