// SPDX-License-Identifier: MIT
//
// Values as an experiment file writes them.
#pragma once

#include <string>
#include <vector>

#include "assay/base/case.hpp"

namespace assay::experiment::detail {

// In quotes. Nothing in it ends the line, so that it may also stand in a comment.
std::string toml_text(const std::string& text);
std::string toml_list(const std::vector<std::string>& texts);
std::string toml_value(const AxisValue& value);
// The shortest "NUMBER UNIT" that reads back as the same double.
std::string duration_text(double seconds);

}  // namespace assay::experiment::detail
