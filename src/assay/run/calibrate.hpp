// SPDX-License-Identifier: MIT
//
// Trial 0: correctness of every subject on every case, the gate's own power, and the calibration by
// the plan's rules. Never analysed. The parent does it by asking for blocks, so that a worker in
// any language only has to run blocks.
#pragma once

#include "assay/run/session.hpp"

namespace assay::run {

// Fills session.evidence.calibration and writes calibration.json with its hash beside it.
Step calibrate(Session& session);

}  // namespace assay::run
