// SPDX-License-Identifier: MIT
//
// What the states of a cell and of its subjects make possible in it.
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/base/rotation.hpp"
#include "assay/experiment/described.hpp"
#include "assay/experiment/detail/planning.hpp"

namespace assay::experiment::detail {
namespace {

// Why samples of the cell have one call each; empty if they may have more.
std::string why_single_calls(const Plan& plan, const Cell& cell) {
  constexpr const char* repeatable = "warm";
  if (cell.state != repeatable) return "in the state '" + cell.state + "'";
  for (const SubjectId& subject : cell.subjects) {
    const ProblemDescription* problem = described_problem(plan, subject, cell.problem);
    if (problem != nullptr && problem->has_in_place) {
      return "of the problem " + cell.problem + ", whose input is written,";
    }
    const std::string own = own_state_of(plan, subject, cell.problem);
    if (own.empty() || own == repeatable) continue;
    return "beside the subject " + subject.text() + ", whose state is '" + own + "',";
  }
  return "";
}

constexpr const char* rotate_state = "rotate";

// Why the inputs and outputs that the subject works on cannot be rotated; empty if they can.
std::string why_not_rotated(const Plan& plan, const SubjectId& subject, const Cell& cell) {
  const ProgramDescription* description = described_program(plan, subject);
  const CaseDescription* described = described_case(plan, subject, cell.problem, cell.the_case);
  ASSAY_EXPECTS(description != nullptr && described != nullptr);
  const auto rotation =
      rotation_for(described->footprint_bytes, description->device.last_level_cache_bytes);
  return rotation ? "" : "it " + rotation.missing().detail;
}

// Why the subject's own state cannot be had in the cell, where others of it may be measured; empty
// if it can, or it has none.
std::string why_not_in_own_state(const Plan& plan, const SubjectId& subject, const Cell& cell) {
  const std::string own = own_state_of(plan, subject, cell.problem);
  if (own.empty()) return "";
  const std::string its = "its own state is '" + own + "', and ";
  if (cell.is_cold_start()) {
    return its +
           "nothing is done before the first call of a process: measure it at another "
           "boundary";
  }
  const std::string why = own == rotate_state ? why_not_rotated(plan, subject, cell) : "";
  return why.empty() ? "" : its + why;
}

}  // namespace

void check_timer(const Experiment& experiment, const Plan& plan, const Cell& cell) {
  const auto& timers = plan.descriptions.front().timers;
  const auto timer = std::find_if(timers.begin(), timers.end(),
                                  [&](const auto& each) { return each.name == cell.timer; });
  if (timer == timers.end() || !timer->is_slope) return;
  const std::string why = why_single_calls(plan, cell);
  if (why.empty()) return;
  std::string others;
  for (const TimerDescription& each : timers) {
    if (each.is_slope || !each.serves(cell.boundary)) continue;
    others += (others.empty() ? "" : " or ") + ("\"" + each.name + "\"");
  }
  throw Error(ErrorKind::bad_input, experiment.place_of("protocol.timer") + ": the timer '" +
                                        cell.timer +
                                        "' takes the slope over the calls of a sample, and " + why +
                                        " a sample is one call (" + cell.id() +
                                        "); expected state = [\"warm\"] and inputs "
                                        "that are only read" +
                                        (others.empty() ? "" : ", or timer = " + others));
}

std::string keep_possible_subjects(Plan& plan, Cell& cell) {
  if (cell.state == rotate_state) {
    for (const SubjectId& subject : cell.subjects) {
      const std::string why = why_not_rotated(plan, subject, cell);
      if (!why.empty()) return why;
    }
  }
  const auto subjects = std::move(cell.subjects);
  const auto works = std::move(cell.subject_work);
  cell.subjects.clear();
  cell.subject_work.clear();
  std::vector<LeftOut> left_out;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const std::string why = why_not_in_own_state(plan, subjects[i], cell);
    if (why.empty()) {
      cell.subjects.push_back(subjects[i]);
      cell.subject_work.push_back(works[i]);
    } else if (i == 0) {
      return "the baseline " + subjects[i].text() + " cannot be measured in it: " + why;
    } else {
      left_out.push_back({cell.id() + ", " + subjects[i].text(), why});
    }
  }
  if (subjects.size() > 1 && cell.subjects.size() == 1) {
    return "no candidate can be measured in it, so there is nothing to compare; " +
           subjects.back().text() + ": " + left_out.back().reason;
  }
  plan.left_out.insert(plan.left_out.end(), left_out.begin(), left_out.end());
  return "";
}

}  // namespace assay::experiment::detail
