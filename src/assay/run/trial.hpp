// SPDX-License-Identifier: MIT
//
// One trial: fresh processes, the open cells in random order, warm-up and then the blocks of one
// cell at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/run/session.hpp"

namespace assay::run {

// cells: indices in Plan::cells. A cell that this trial already holds completely (a resumed run) is
// passed over.
Step run_trial(Session& session, std::int64_t trial, const std::vector<std::size_t>& cells,
               const judge::Progress& progress);

}  // namespace assay::run
