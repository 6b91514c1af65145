// SPDX-License-Identifier: MIT
//
// Where times have several modes, drift, do not settle or are lopsided: what of the telemetry moved
// together with them. That is a place to look, and no cause: two things that both grow over a run
// move together too. Internal to judge/.
#pragma once

#include <vector>

#include "assay/judge/index.hpp"
#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// "time.seen-together", at most one for each subject of a cell that has such a finding: what passes
// over trials (medians of trials, at least 8, rank correlation of 0.7 or more) or within them
// (blocks about the median of their trial, at least 40, 0.5 or more), with p below 0.001 divided by
// the number of series that were looked at.
void add_seen_together(std::vector<Finding>& findings, const record::Evidence& evidence,
                       const Index& index, const std::vector<CellResult>& cells);

}  // namespace assay::judge::detail
