// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/described.hpp"

#include <algorithm>

namespace assay::experiment::detail {
namespace {

const CaseDescription* find_case(const ProblemDescription& problem, const Case& the_case) {
  const auto found =
      std::find_if(problem.cases.begin(), problem.cases.end(),
                   [&](const CaseDescription& one) { return one.the_case == the_case; });
  return found == problem.cases.end() ? nullptr : &*found;
}

}  // namespace

const ProblemDescription* find_problem(const ProgramDescription& description,
                                       const std::string& name) {
  const auto found =
      std::find_if(description.problems.begin(), description.problems.end(),
                   [&](const ProblemDescription& problem) { return problem.name == name; });
  return found == description.problems.end() ? nullptr : &*found;
}

const SubjectDescription* find_subject(const ProblemDescription& problem, const std::string& name) {
  const auto found = std::find_if(problem.subjects.begin(), problem.subjects.end(),
                                  [&](const SubjectDescription& one) { return one.name == name; });
  return found == problem.subjects.end() ? nullptr : &*found;
}

const ProgramDescription* description_of(const Plan& plan, const SubjectId& subject) {
  for (std::size_t i = 0; i < plan.builds.size(); ++i) {
    if (plan.builds[i].name == subject.build) return &plan.descriptions[i];
  }
  return nullptr;
}

const ProblemDescription* problem_of(const Plan& plan, const SubjectId& subject,
                                     const std::string& problem_name) {
  const ProgramDescription* description = description_of(plan, subject);
  return description == nullptr ? nullptr : find_problem(*description, problem_name);
}

const CaseDescription* case_of(const Plan& plan, const SubjectId& subject,
                               const std::string& problem_name, const Case& the_case) {
  const ProblemDescription* problem = problem_of(plan, subject, problem_name);
  return problem == nullptr ? nullptr : find_case(*problem, the_case);
}

std::string own_state_of(const Plan& plan, const SubjectId& id, const std::string& problem_name) {
  const ProblemDescription* problem = problem_of(plan, id, problem_name);
  const SubjectDescription* subject =
      problem == nullptr ? nullptr : find_subject(*problem, id.name);
  if (subject == nullptr) return "";
  const auto own = subject->parameters.find("state");
  return own == subject->parameters.end() ? "" : own->second;
}

}  // namespace assay::experiment::detail
