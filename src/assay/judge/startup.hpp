// SPDX-License-Identifier: MIT
//
// How processes came to the result of their first call, phase by phase. It describes a cold start
// beside its interval and changes no verdict. Internal to judge/.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// Into the subjects of cells of the boundary cold-start, over the trials up to last_trial of each
// cell.
void add_startup(std::vector<CellResult>& cells, const record::Evidence& evidence,
                 const std::vector<std::uint32_t>& last_trials);

Json startup_json(const std::vector<StartupResult>& startup);
std::vector<StartupResult> startup_from(const Json& json, const std::string& where);

}  // namespace assay::judge::detail
