// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/counted.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/described.hpp"
#include "assay/experiment/detail/planning.hpp"

namespace assay::experiment::detail {
namespace {

const SubjectDescription* find_subject(const ProblemDescription& problem, const std::string& name) {
  const auto found = std::find_if(problem.subjects.begin(), problem.subjects.end(),
                                  [&](const SubjectDescription& one) { return one.name == name; });
  return found == problem.subjects.end() ? nullptr : &*found;
}

// Whether --filter leaves anything of the problem: what it does not leave need not make sense.
bool is_left_by(const CellFilter& filter, const ProblemDescription& problem, const Plan& plan) {
  Cell cell;
  cell.problem = problem.name;
  for (const CaseDescription& described : problem.cases) {
    cell.the_case = described.the_case;
    for (const auto& [state, boundary] :
         states_and_boundaries(plan.protocol.states, plan.protocol.boundaries)) {
      cell.state = state;
      cell.boundary = boundary;
      if (filter.passes(cell.id())) return true;
    }
  }
  return false;
}

// In which inputs and outputs two builds differ, so that they do not compute the same; empty if
// they do, or do not tell. Strides and alignment may be what is to be compared.
std::string why_other_elements(const CaseDescription& baseline, const CaseDescription& other) {
  if (&baseline == &other || !baseline.dimensions || !other.dimensions) return "";
  const auto words = [](const Operand& operand) {
    return operand.name + " is " + operand.role + " " + operand.dtype + " " + operand.shape_text();
  };
  const std::vector<Operand>& theirs = baseline.dimensions->operands;
  const std::vector<Operand>& ours = other.dimensions->operands;
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) {
    if (!theirs[i].has_elements_of(ours[i])) return words(theirs[i]) + ", and " + words(ours[i]);
  }
  if (theirs.size() == ours.size()) return "";
  return "one has " + counted(theirs.size(), "tensor") + ", the other " +
         std::to_string(ours.size());
}

// The subjects that support the case go into the cell. Returns why there can be no such cell, or
// nothing.
std::string fill_subjects(const Plan& plan, const std::vector<SubjectId>& subjects, Cell& cell) {
  const CaseDescription* baseline = nullptr;
  for (const SubjectId& subject : subjects) {
    const CaseDescription* described = described_case(plan, subject, cell.problem, cell.the_case);
    const bool is_supported =
        described != nullptr && std::find(described->supported.begin(), described->supported.end(),
                                          subject.name) != described->supported.end();
    if (!is_supported) {
      if (&subject == &subjects.front()) {
        return "the baseline " + subject.text() + " does not support this case";
      }
      cell.unsupported.push_back(subject.text());
      continue;
    }
    if (&subject == &subjects.front()) baseline = described;
    if (const std::string why = why_other_elements(*baseline, *described); !why.empty()) {
      return "the builds " + subjects.front().build + " and " + subject.build +
             " do not compute it on the same: " + why;
    }
    cell.subjects.push_back(subject);
    const auto work = described->subject_work.find(subject.name);
    cell.subject_work.push_back(work == described->subject_work.end()
                                    ? std::nullopt
                                    : std::optional<WorkDescription>(work->second));
  }
  if (subjects.size() > 1 && cell.subjects.size() == 1) {
    return "no candidate supports this case, so there is nothing to compare";
  }
  return "";
}

// Returns how many cells the filter refuses.
std::size_t plan_case(const Experiment& experiment, const std::vector<SubjectId>& subjects,
                      const ProblemDescription& problem, const CaseDescription& described,
                      Plan& plan) {
  const CellFilter& filter = experiment.cases.filter;
  Cell of_case;
  of_case.problem = problem.name;
  of_case.the_case = described.the_case;
  of_case.work = described.work;
  of_case.footprint_bytes = described.footprint_bytes;
  of_case.checked = problem.checked;
  const std::string trouble = fill_subjects(plan, subjects, of_case);
  std::size_t refused = 0;
  for (const auto& [state, boundary] :
       states_and_boundaries(plan.protocol.states, plan.protocol.boundaries)) {
    Cell cell = of_case;
    cell.state = state;
    cell.boundary = boundary;
    cell.timer = timer_of(plan, boundary);
    if (!filter.passes(cell.id())) {
      ++refused;
      continue;
    }
    const std::string why = trouble.empty() ? keep_possible_subjects(plan, cell) : trouble;
    if (!why.empty()) {
      plan.left_out.push_back({cell.id(), why});
      continue;
    }
    check_timer(experiment, plan, cell);
    plan.cells.push_back(std::move(cell));
  }
  return refused;
}

}  // namespace

std::vector<SubjectId> subjects_of(const Experiment& experiment, const Plan& plan,
                                   const ProblemDescription& problem) {
  ASSAY_EXPECTS(!problem.subjects.empty());
  std::string baseline = experiment.baseline;
  if (baseline.empty() || (problem.subjects.size() == 1 && plan.builds.size() == 1)) {
    baseline = problem.subjects.front().name;
  }
  for (const SubjectDescription& one : problem.subjects) {
    if (one.name != control_name) continue;
    throw Error(ErrorKind::bad_input, "the problem " + problem.name +
                                          " has a subject called 'control', which is the label of "
                                          "the second baseline; expected another name");
  }
  if (find_subject(problem, baseline) == nullptr) {
    std::string names;
    for (const SubjectDescription& one : problem.subjects) {
      names += (names.empty() ? "" : ", ") + one.name;
    }
    throw Error(ErrorKind::bad_input, experiment.place_of("baseline") + ": the problem " +
                                          problem.name + " has no subject '" + baseline +
                                          "'; expected one of " + names);
  }
  std::vector<SubjectId> subjects = {{plan.builds.front().name, baseline}};
  if (plan.builds.size() == 1) {
    for (const SubjectDescription& one : problem.subjects) {
      if (one.name != baseline) subjects.push_back({plan.builds.front().name, one.name});
    }
    return subjects;
  }
  // Two builds are the sides: the same subject on either. Only where the other build has none of
  // that name are its subjects, whatever they are called, the candidates.
  const ProblemDescription* other = find_problem(plan.descriptions.back(), problem.name);
  if (other == nullptr) return subjects;
  if (find_subject(*other, baseline) != nullptr) {
    subjects.push_back({plan.builds.back().name, baseline});
  } else {
    for (const SubjectDescription& one : other->subjects) {
      subjects.push_back({plan.builds.back().name, one.name});
    }
  }
  return subjects;
}

void plan_cells(const Experiment& experiment, Plan& plan) {
  const CellFilter& filter = experiment.cases.filter;
  std::size_t refused = 0;
  for (const ProblemDescription& problem : plan.descriptions.front().problems) {
    const std::string what = "problem " + problem.name;
    if (problem.subjects.empty()) {
      plan.left_out.push_back({what, "it declares no subject"});
      continue;
    }
    if (problem.cases.empty()) {
      plan.left_out.push_back({what, "none of the cases asked for is one of its cases"});
      continue;
    }
    if (!is_left_by(filter, problem, plan)) {
      plan.left_out.push_back({what, "no cell of it matches the filter"});
      refused += problem.cases.size() *
                 states_and_boundaries(plan.protocol.states, plan.protocol.boundaries).size();
      continue;
    }
    const auto subjects = subjects_of(experiment, plan, problem);
    if (plan.builds.size() == 2 && subjects.size() == 1) {
      plan.left_out.push_back({what, "the build candidate has no such problem"});
      continue;
    }
    for (const CaseDescription& described : problem.cases) {
      refused += plan_case(experiment, subjects, problem, described, plan);
    }
  }
  if (refused > 0) {
    plan.left_out.push_back(
        {"filter " + filter.text,
         counted(refused, "cell") + (refused == 1 ? " does" : " do") + " not match it"});
  }
}

}  // namespace assay::experiment::detail
