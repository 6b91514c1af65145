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
const ProgramDescription* described_program(const Plan& plan, const SubjectId& subject);
const ProblemDescription* described_problem(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem);
const SubjectDescription* described_subject(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem);
const CaseDescription* described_case(const Plan& plan, const SubjectId& subject,
                                      const std::string& problem, const Case& the_case);

// The state that the subject has of its own, as its build describes it; empty: none.
std::string own_state_of(const Plan& plan, const SubjectId& subject, const std::string& problem);

}  // namespace assay::experiment
