// SPDX-License-Identifier: MIT
//
// What the builds of a plan say of a subject and its case: two builds need not say the same.
// Internal.
#pragma once

#include <string>

#include "assay/experiment/plan.hpp"

namespace assay::experiment::detail {

// That of the name; nullptr if there is none.
const ProblemDescription* find_problem(const ProgramDescription& description,
                                       const std::string& name);
const SubjectDescription* find_subject(const ProblemDescription& problem, const std::string& name);

// What the build of the subject says of itself, of the problem and of the case; nullptr where it
// does not.
const ProgramDescription* description_of(const Plan& plan, const SubjectId& subject);
const ProblemDescription* problem_of(const Plan& plan, const SubjectId& subject,
                                     const std::string& problem_name);
const CaseDescription* case_of(const Plan& plan, const SubjectId& subject,
                               const std::string& problem_name, const Case& the_case);

// The state that the subject has of its own; empty: none.
std::string own_state_of(const Plan& plan, const SubjectId& subject,
                         const std::string& problem_name);

}  // namespace assay::experiment::detail
