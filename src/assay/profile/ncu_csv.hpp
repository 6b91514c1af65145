// SPDX-License-Identifier: MIT
//
// What `ncu --page raw --csv` prints: a row for each kernel, in the order in which they were
// launched, a column for each metric, and below the header a row of units. Between versions columns
// come and go, the row of units can be absent, and lines of the tool's own can stand before the
// header: so columns are found by name, and what is not understood is missing. Internal.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::profile {

struct KernelMetrics {
  std::string kernel;
  std::map<std::string, Reading<double>> values;  // by metric; in bytes, nanoseconds and the like
};

// Throws Error{bad_input} with `where` for what has no such header, or rows that do not fit it.
std::vector<KernelMetrics> parse_ncu_csv(std::string_view text, const std::string& where);

// "byte" and 1e6 for "Mbyte": the unit without its prefix, and what a value has to be multiplied
// with.
struct BaseUnit {
  std::string name;
  double factor = 1;
};
BaseUnit base_unit_of(std::string_view unit);

}  // namespace assay::profile
