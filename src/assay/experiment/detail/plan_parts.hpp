// SPDX-License-Identifier: MIT
//
// The parts of a plan that come from the experiment file, in JSON.
#pragma once

#include <string>

#include "assay/base/json.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment::detail {

Json question_json(const Question& question);
Question question_from(const Json& json, const std::string& where);

Json prediction_json(const Prediction& prediction);
Prediction prediction_from(const Json& json, const std::string& where);

Json protocol_json(const Protocol& protocol);
// Throws Error{bad_input} also for values that an experiment file could not hold.
Protocol protocol_from(const Json& json, const std::string& where);

}  // namespace assay::experiment::detail
