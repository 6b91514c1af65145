// SPDX-License-Identifier: MIT
//
// Whether the subjects' launches fill the device: from their shapes in calibration and what the
// plan says of the device; and "launches" of a subject in result.json. Internal to judge/.
#pragma once

#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::judge::detail {

// Of the subject, by SubjectId::text(). None where it launched nothing that was seen, or the
// device's number of multiprocessors is not among its facts.
std::vector<LaunchResult> launches_of(const experiment::Plan& plan,
                                      const experiment::CellCalibration* calibration,
                                      const std::string& subject);

Json launch_json(const LaunchResult& result);
LaunchResult launch_from(const Json& json, const std::string& where);

}  // namespace assay::judge::detail
