// SPDX-License-Identifier: MIT
//
// What a cell's case is beyond its axes, of all that the plan's builds said of it. Internal to
// judge/.
#pragma once

#include <optional>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::judge::detail {

// Tensors and declared dimensions as the baseline's build describes them, the parameters of every
// subject; nothing of programs that say nothing of dimensions.
std::optional<experiment::CaseDimensions> dimensions_of(const experiment::Plan& plan,
                                                        const experiment::Cell& cell);

// Where a candidate's build describes a case otherwise than the baseline's: one finding for each
// set of differences, however many cells have it.
void add_of_dimensions(std::vector<Finding>& findings, const experiment::Plan& plan);

}  // namespace assay::judge::detail
