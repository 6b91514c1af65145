// SPDX-License-Identifier: MIT
//
// What show and verify do with a companion record, which holds counters and no result.
#pragma once

#include <filesystem>

#include "cli/options.hpp"

namespace assay::cli {

// Prints its table, with the times of the record that it is about where that lies beside it.
void show_companion(const std::filesystem::path& path, const JsonTarget& json, bool details);

// The exit status: 0, or 4 if anything differs.
int verify_companion(const std::filesystem::path& path, const JsonTarget& json);

}  // namespace assay::cli
