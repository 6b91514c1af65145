// SPDX-License-Identifier: MIT
//
// Ceilings in JSON: the same in the worker's answer, in the machine's state, in a plan and in a
// script of the fake device. Internal: a user's program never sees it.
#pragma once

#include <string>

#include "assay/base/ceilings.hpp"
#include "assay/base/json.hpp"

namespace assay {

Json to_json(const MachineCeilings& ceilings);

// Throws Error{bad_input} that names the place, also for numbers that no machine can have: a rate
// of 0, a best pass that is worse than the median, a level that no row may name.
MachineCeilings ceilings_from_json(const Json& json, const std::string& where);

}  // namespace assay
