// SPDX-License-Identifier: MIT
//
// What command-runs.csv must agree with. Internal to judge/.
#pragma once

#include <string>
#include <vector>

#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// Appends a sentence for each kind of difference.
void check_command_runs(const record::Record& record, std::vector<std::string>& differences);

}  // namespace assay::judge::detail
