// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/fail.hpp"
#include "assay/experiment/detail/planning.hpp"
#include "assay/experiment/predicate.hpp"

namespace assay::experiment::detail {
namespace {

// What a predicate may name beside the axes: the rest of a cell's identity.
constexpr const char* cell_names[] = {"problem", "state", "boundary"};

using detail::fail;

bool is_candidate(const SubjectId& subject, const std::string& name) {
  return subject.name == name || subject.text() == name;
}

Case with_cell_names(const Cell& cell) {
  auto entries = cell.the_case.entries();
  const std::string values[] = {cell.problem, cell.state, cell.boundary};
  for (std::size_t i = 0; i < 3; ++i) {
    // An axis of that name is meant first.
    if (cell.the_case.find(cell_names[i]) == nullptr) {
      entries.emplace_back(cell_names[i], values[i]);
    }
  }
  return Case(std::move(entries));
}

std::set<std::string> candidate_names(const Experiment& experiment, const Plan& plan) {
  std::set<std::string> names;
  for (const ProblemDescription& problem : plan.descriptions.front().problems) {
    const bool is_measured =
        std::any_of(plan.cells.begin(), plan.cells.end(),
                    [&](const Cell& cell) { return cell.problem == problem.name; });
    if (!is_measured) {
      // Left out by the filter, which is no reason to call a prediction about it a mistake.
      for (const SubjectDescription& subject : problem.subjects) names.insert(subject.name);
      continue;
    }
    const auto subjects = subjects_of(experiment, plan, problem);
    for (std::size_t i = 1; i < subjects.size(); ++i) {
      names.insert(subjects[i].name);
      names.insert(subjects[i].text());
    }
  }
  return names;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "a program with candidates: this one has none" : "one of " + text;
}

void check_axes(const Predicate& predicate, const Plan& plan, const std::string& place) {
  std::set<std::string> known(std::begin(cell_names), std::end(cell_names));
  for (const ProblemDescription& problem : plan.descriptions.front().problems) {
    for (const AxisDescription& axis : problem.axes) known.insert(axis.name);
  }
  for (const std::string& axis : predicate.axes()) {
    if (known.count(axis) != 0) continue;
    fail(place, "no problem has an axis '" + axis + "'; expected " + joined(known));
  }
}

// Marks the comparisons of the prediction; returns how many there are.
std::size_t mark(const Experiment& experiment, std::size_t index, const Predicate& predicate,
                 Plan& plan) {
  const Prediction& prediction = plan.predictions[index];
  std::size_t matched = 0;
  for (Comparison& comparison : plan.comparisons) {
    const Cell& cell = plan.cells[comparison.cell];
    if (!is_candidate(cell.subjects[comparison.candidate], prediction.candidate)) continue;
    if (!predicate.matches(with_cell_names(cell))) continue;
    if (comparison.prediction) {
      fail(experiment.place_of("prediction[" + std::to_string(index) + "]"),
           "the comparison of " + cell.subjects[comparison.candidate].text() + " in " + cell.id() +
               " is predicted twice, also by prediction " +
               std::to_string(*comparison.prediction + 1) +
               "; expected `where` conditions that do not overlap");
    }
    comparison.prediction = index;
    ++matched;
  }
  return matched;
}

void apply_prediction(const Experiment& experiment, std::size_t index,
                      const std::set<std::string>& candidates, Plan& plan) {
  const Prediction& prediction = plan.predictions[index];
  const std::string key = "prediction[" + std::to_string(index) + "]";
  if (candidates.count(prediction.candidate) == 0) {
    fail(experiment.place_of(key + ".candidate"),
         "'" + prediction.candidate + "' is no candidate; expected " + joined(candidates));
  }
  const Predicate predicate = Predicate::parse(prediction.where);
  check_axes(predicate, plan, experiment.place_of(key + ".where"));
  if (mark(experiment, index, predicate, plan) > 0) return;
  if (!experiment.cases.is_narrowed() && !experiment.quick) {
    fail(experiment.place_of(key + ".where"),
         "no case that " + prediction.candidate + " supports matches '" + prediction.where +
             "'; expected at least one of the cases of this experiment");
  }
  plan.left_out.push_back({"prediction " + std::to_string(index + 1),
                           "none of the cells that were chosen is one of its cases"});
}

}  // namespace

void plan_comparisons(const Experiment& experiment, Plan& plan) {
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t i = 1; i < plan.cells[cell].subjects.size(); ++i) {
      plan.comparisons.push_back({cell, i, std::nullopt});
    }
  }
  const auto candidates = candidate_names(experiment, plan);
  for (std::size_t i = 0; i < plan.predictions.size(); ++i) {
    apply_prediction(experiment, i, candidates, plan);
  }
}

}  // namespace assay::experiment::detail
