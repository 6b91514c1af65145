// SPDX-License-Identifier: MIT
//
// An environment as a person reads it.
#pragma once

#include <string>
#include <string_view>

#include "assay/base/json.hpp"

namespace assay::env {

// A reading for one line, by the unit that the fact's name ends in: "2.1 GHz", "64 GiB", "none",
// "unknown (no-such-file)"; "not recorded" for null.
std::string value_text(std::string_view fact, const Json& reading);

// Every section with every fact, the missing ones with the reason.
std::string environment_text(const Json& environment);

}  // namespace assay::env
