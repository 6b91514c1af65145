// SPDX-License-Identifier: MIT
//
// Results on stdout, progress on stderr, colour only on a terminal.
#pragma once

#include <filesystem>
#include <string>

#include "assay/base/json.hpp"
#include "assay/report/terminal.hpp"
#include "cli/options.hpp"

namespace assay::cli {

// Width of the terminal on stdout, 100 if it is none; colour if it is one and NO_COLOR is not set.
report::TerminalStyle stdout_style();

// Throws Error{write} if it cannot all be written.
// A reader that has gone (`| head`) is not an error.
void print(const std::string& text);
// Throws Error{usage} if the file would lie inside a record: nothing enters a sealed record.
void refuse_inside_record(const std::filesystem::path& file);
// Throws Error{usage, write} now if that file could not be written later.
void check_json_target(const JsonTarget& target);
void print_json(const JsonTarget& target, const Json& json);

}  // namespace assay::cli
