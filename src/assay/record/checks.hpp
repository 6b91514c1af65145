// SPDX-License-Identifier: MIT
//
// Checks: everything but samples that happened in a run, as checks.json holds it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/outcome.hpp"

namespace assay::record {

inline constexpr std::string_view checks_format = "assay-checks/1";

struct Checks {
  std::vector<experiment::CheckResult> results;
  std::vector<experiment::Failure> failures;
};

Json to_json(const Checks& checks);
// Throws Error{bad_input}.
Checks checks_from_json(const Json& json, const std::string& where);

// Throws Error{bad_input} unless the object's member `format` is that one; a newer version of the
// same format is told apart from something else altogether.
void expect_format(const Json& json, std::string_view format, const std::string& where);

}  // namespace assay::record
