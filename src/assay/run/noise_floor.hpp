// SPDX-License-Identifier: MIT
//
// Where a plan's noise floor comes from: the machine's own state, read once, when the plan is made.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "assay/base/reading.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::run {

// Sets plan.noise_floor and its source from the state directory (env::state_directory()), for the
// plan's device on the machine of that fingerprint; or the reason why there is none: not measured,
// another machine's, ignored by the protocol. Throws Error{bad_input} for a damaged file.
void take_noise_floor(experiment::Plan& plan, const Reading<std::filesystem::path>& state_directory,
                      const std::string& machine_fingerprint,
                      std::chrono::system_clock::time_point now);

}  // namespace assay::run
