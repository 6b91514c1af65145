// SPDX-License-Identifier: MIT
//
// The member "limits" of a subject in result.json. Internal to judge/.
#pragma once

#include <string>

#include "assay/base/json.hpp"
#include "assay/judge/result.hpp"

namespace assay::judge::detail {

Json limits_json(const LimitsResult& result);
LimitsResult limits_from(const Json& json, const std::string& where);

}  // namespace assay::judge::detail
