// SPDX-License-Identifier: MIT
//
// "device" of result.json. Internal to judge/.
#pragma once

#include <string>

#include "assay/judge/result.hpp"

namespace assay::judge::detail {

Json device_json(const DeviceResult& device);
DeviceResult device_from(const Json& json, const std::string& where);

}  // namespace assay::judge::detail
