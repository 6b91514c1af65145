// SPDX-License-Identifier: MIT
#include "assay/experiment/described.hpp"

#include <algorithm>

namespace assay::experiment {

const ProgramDescription* described_program(const Plan& plan, const SubjectId& subject) {
  for (std::size_t i = 0; i < std::min(plan.builds.size(), plan.descriptions.size()); ++i) {
    if (plan.builds[i].name == subject.build) return &plan.descriptions[i];
  }
  return nullptr;
}

const ProblemDescription* find_problem(const ProgramDescription& description,
                                       const std::string& name) {
  const auto found =
      std::find_if(description.problems.begin(), description.problems.end(),
                   [&](const ProblemDescription& problem) { return problem.name == name; });
  return found == description.problems.end() ? nullptr : &*found;
}

const ProblemDescription* described_problem(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem) {
  const ProgramDescription* program = described_program(plan, subject);
  return program == nullptr ? nullptr : find_problem(*program, problem);
}

const SubjectDescription* described_subject(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem) {
  const ProblemDescription* described = described_problem(plan, subject, problem);
  if (described == nullptr) return nullptr;
  for (const SubjectDescription& one : described->subjects) {
    if (one.name == subject.name) return &one;
  }
  return nullptr;
}

const CaseDescription* described_case(const Plan& plan, const SubjectId& subject,
                                      const std::string& problem, const Case& the_case) {
  const ProblemDescription* described = described_problem(plan, subject, problem);
  if (described == nullptr) return nullptr;
  for (const CaseDescription& one : described->cases) {
    if (one.the_case == the_case) return &one;
  }
  return nullptr;
}

std::string own_state_of(const Plan& plan, const SubjectId& subject, const std::string& problem) {
  const SubjectDescription* described = described_subject(plan, subject, problem);
  if (described == nullptr) return "";
  const auto own = described->parameters.find("state");
  return own == described->parameters.end() ? "" : own->second;
}

}  // namespace assay::experiment
