// SPDX-License-Identifier: MIT
//
// Results on stdout, progress on stderr, colour only on a terminal.
#pragma once

#include <string>

#include "assay/base/json.hpp"
#include "assay/report/terminal.hpp"
#include "cli/options.hpp"

namespace assay::cli {

// Width of the terminal on stdout, 100 if it is none; colour if it is one and NO_COLOR is not set.
report::TerminalStyle stdout_style();

// Throws Error{write} if it cannot all be written.
void print(const std::string& text);
void print_json(const JsonTarget& target, const Json& json);

}  // namespace assay::cli
