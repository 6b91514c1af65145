// SPDX-License-Identifier: MIT
//
// The phases of a first call as they stand in messages. Internal to wire.
#pragma once

#include <string>

#include "assay/base/json.hpp"
#include "assay/wire/messages.hpp"

namespace assay::wire {

Json startup_json(const StartupTold& startup);
// Phases that are left out are missing as "not-told". Throws Error{bad_input} for what no table may
// hold: negative times, reasons that there are none of.
StartupTold startup_from(const Json& json, const std::string& where);

}  // namespace assay::wire
