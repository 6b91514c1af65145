// SPDX-License-Identifier: MIT
//
// A device's telemetry as it stands in messages. Internal to wire.
#pragma once

#include <string>

#include "assay/base/json.hpp"
#include "assay/base/telemetry.hpp"

namespace assay::wire {

Json telemetry_json(const Telemetry& telemetry);
// It has the fields that are given. Throws Error{bad_input} for what no table may
// hold: negative counts, reasons that are no slugs.
Telemetry telemetry_from(const Json& json, const std::string& where);

}  // namespace assay::wire
