// SPDX-License-Identifier: MIT
//
// What telemetry.csv says of the run. Samples that were taken while the device held its clocks back
// or worked for somebody else are marked and counted, and stay in: to drop them would choose among
// samples by what moves them. Internal to judge/.
#pragma once

#include <optional>
#include <vector>

#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// Of the measured blocks of trial 1 and later; nothing where there are none. Energy is of all
// readings of these trials' processes, in between which they warmed up too.
std::optional<DeviceResult> device_of(const record::Evidence& evidence);

// "device.throttled", "device.shared".
void add_of_device(std::vector<Finding>& findings, const DeviceResult& device);

}  // namespace assay::judge::detail
