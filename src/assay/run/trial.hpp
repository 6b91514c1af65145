// SPDX-License-Identifier: MIT
//
// One trial: fresh processes, the open cells in random order, warm-up and then the blocks of one
// cell at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/run/session.hpp"

namespace assay::run {

// Over progress.open_cells. A cell that this trial already holds completely (a resumed run) is
// passed over: index has taken all samples so far.
Step run_trial(Session& session, std::int64_t trial, const judge::Index& index,
               const judge::Progress& progress);

}  // namespace assay::run
