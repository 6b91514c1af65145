// SPDX-License-Identifier: MIT
//
// Judgement: from what one call left behind to a check's result. Internal.
#pragma once

#include <string>

#include "assay/measure/program.hpp"
#include "assay/measure/workspace.hpp"
#include "assay/problem/reference.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

// Fills in passed, applicable, reason and detail. detail.failure is a kind of experiment::failure
// where it did not pass; detail.outputs has one object an output. expected: nullptr for an
// unchecked problem, of which only what may not be written is judged.
void judge(const Problem& problem, const OutputCopy& copy, const ReferenceResult* expected,
           bool adversarial, const Helpers& helpers, experiment::CheckResult& result);

// The subject threw instead of giving a result. failure: a kind of experiment::failure.
void threw(experiment::CheckResult& result, const char* failure, const std::string& message);

// The output is wrong because the device did not take the subject's code, which the subject did not
// say.
void refused_code(experiment::CheckResult& result, const std::string& why);

}  // namespace assay::measure
