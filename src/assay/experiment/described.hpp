// SPDX-License-Identifier: MIT
//
// What the builds of a plan said of a problem, a case or a subject.
#pragma once

#include <string>

#include "assay/experiment/plan.hpp"

namespace assay::experiment {

// By name; nullptr if the program has none such.
const ProblemDescription* find_problem(const ProgramDescription& description,
                                       const std::string& name);

// As the build of that subject describes them; nullptr if it does not.
const SubjectDescription* described_subject(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem);
const CaseDescription* described_case(const Plan& plan, const SubjectId& subject,
                                      const std::string& problem, const Case& the_case);

}  // namespace assay::experiment
