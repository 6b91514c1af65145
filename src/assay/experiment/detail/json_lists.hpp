// SPDX-License-Identifier: MIT
//
// Axis values and work in JSON, for the descriptions and the plan.
#pragma once

#include <string>

#include "assay/base/case.hpp"
#include "assay/base/json.hpp"
#include "assay/base/json_list.hpp"
#include "assay/experiment/description.hpp"

namespace assay::experiment::detail {

// False for an unsigned integer above 2^63 − 1, which get<int64_t>() would turn negative.
bool integer_fits(const Json& json);

Json axis_value_json(const AxisValue& value);
// An integer of 64 bits, a number or a string.
AxisValue json_value(const Json& json, const std::string& where);
// One that can stand in a case.
AxisValue axis_value_from(const Json& json, const std::string& where);

Json work_reading_json(const Reading<WorkDescription>& work);
Reading<WorkDescription> work_reading_from(const Json& json, const std::string& where);

}  // namespace assay::experiment::detail
