// SPDX-License-Identifier: MIT
//
// "canaries" of result.json. Internal to judge/.
#pragma once

#include <string>

#include "assay/judge/result.hpp"

namespace assay::judge::detail {

Json canaries_json(const Canaries& canaries);
Canaries canaries_from(const Json& json, const std::string& where);

}  // namespace assay::judge::detail
