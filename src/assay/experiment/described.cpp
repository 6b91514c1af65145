// SPDX-License-Identifier: MIT
#include "assay/experiment/described.hpp"

#include <algorithm>

namespace assay::experiment {
namespace {

const ProblemDescription* problem_of(const Plan& plan, const SubjectId& subject,
                                     const std::string& name) {
  for (std::size_t i = 0; i < std::min(plan.builds.size(), plan.descriptions.size()); ++i) {
    if (plan.builds[i].name == subject.build) return find_problem(plan.descriptions[i], name);
  }
  return nullptr;
}

}  // namespace

const ProblemDescription* find_problem(const ProgramDescription& description,
                                       const std::string& name) {
  const auto found =
      std::find_if(description.problems.begin(), description.problems.end(),
                   [&](const ProblemDescription& problem) { return problem.name == name; });
  return found == description.problems.end() ? nullptr : &*found;
}

const SubjectDescription* described_subject(const Plan& plan, const SubjectId& subject,
                                            const std::string& problem) {
  const ProblemDescription* described = problem_of(plan, subject, problem);
  if (described == nullptr) return nullptr;
  for (const SubjectDescription& one : described->subjects) {
    if (one.name == subject.name) return &one;
  }
  return nullptr;
}

const CaseDescription* described_case(const Plan& plan, const SubjectId& subject,
                                      const std::string& problem, const Case& the_case) {
  const ProblemDescription* described = problem_of(plan, subject, problem);
  if (described == nullptr) return nullptr;
  for (const CaseDescription& one : described->cases) {
    if (one.the_case == the_case) return &one;
  }
  return nullptr;
}

}  // namespace assay::experiment
