// SPDX-License-Identifier: MIT
//
// What a program does when it is run by hand: a quick look, a list. Internal.
#pragma once

#include <iosfwd>
#include <string>

#include "assay/measure/program.hpp"

namespace assay::measure {

inline constexpr const char* default_device = "cpu";

// A table of every subject on its cases, warm: fewest and median time of a call over a few samples,
// or why its output is not right. Stops taking up new cases after budget_s and says so. device_id:
// as device::open takes it; its first boundary and that one's default timer. Throws Error{device}
// for one that is not there or is lost.
void quick_look(const Program& program, const std::string& program_path,
                const std::string& device_id, std::ostream& out, double budget_s = 20);

// Problems, axes, cases and subjects.
void list(const Program& program, std::ostream& out);

}  // namespace assay::measure
