// SPDX-License-Identifier: MIT
#include "assay/judge/dimensions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "assay/base/counted.hpp"
#include "assay/experiment/described.hpp"

namespace assay::judge::detail {
namespace {

using experiment::CaseDimensions;
using experiment::Operand;

const CaseDimensions* described(const experiment::Plan& plan, const experiment::Cell& cell,
                                const experiment::SubjectId& subject) {
  const auto* the_case = experiment::described_case(plan, subject, cell.problem, cell.the_case);
  return the_case == nullptr || !the_case->dimensions ? nullptr : &*the_case->dimensions;
}

experiment::Parameters parameters_of(const experiment::Plan& plan, const experiment::Cell& cell,
                                     const experiment::SubjectId& subject) {
  experiment::Parameters parameters;
  if (const auto* of_all = experiment::described_subject(plan, subject, cell.problem)) {
    parameters = of_all->parameters;
  }
  if (const CaseDimensions* of_case = described(plan, cell, subject)) {
    const auto found = of_case->parameters.find(subject.name);
    if (found != of_case->parameters.end()) {
      for (const auto& [name, value] : found->second) parameters[name] = value;
    }
  }
  return parameters;
}

std::string placed(const Operand& operand) {
  return fmt::format("{}, aligned to {} bytes", operand.layout(), operand.alignment_bytes);
}

std::string value_of(const Dimensions& dimensions, const std::string& name) {
  for (const auto& [known, value] : dimensions.entries()) {
    if (known == name) return to_text(value);
  }
  return "not declared";
}

bool declares(const Dimensions& dimensions, const std::string& name) {
  const auto& entries = dimensions.entries();
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

// Joined; empty if there are none.
std::string differences_between(const CaseDimensions& baseline, const CaseDimensions& other) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& theirs,
                       const std::string& ours) {
    if (theirs == ours) return;
    text += fmt::format("{}{} is {}, and {}", text.empty() ? "" : "; ", name, theirs, ours);
  };
  for (std::size_t i = 0; i < std::min(baseline.operands.size(), other.operands.size()); ++i) {
    add(baseline.operands[i].name, placed(baseline.operands[i]), placed(other.operands[i]));
  }
  for (const auto& [name, value] : baseline.declared.entries()) {
    add(name, to_text(value), value_of(other.declared, name));
  }
  for (const auto& [name, value] : other.declared.entries()) {
    if (!declares(baseline.declared, name)) add(name, "not declared", to_text(value));
  }
  return text;
}

std::string differences_of(const experiment::Plan& plan, const experiment::Cell& cell) {
  if (plan.builds.size() < 2 || cell.subjects.size() < 2) return "";
  // All candidates are of one build.
  const CaseDimensions* baseline = described(plan, cell, cell.subjects.front());
  const CaseDimensions* other = described(plan, cell, cell.subjects.back());
  return baseline == nullptr || other == nullptr ? "" : differences_between(*baseline, *other);
}

}  // namespace

std::optional<CaseDimensions> dimensions_of(const experiment::Plan& plan,
                                            const experiment::Cell& cell) {
  if (cell.subjects.empty()) return std::nullopt;
  const CaseDimensions* of_baseline = described(plan, cell, cell.subjects.front());
  if (of_baseline == nullptr) return std::nullopt;
  CaseDimensions dimensions{of_baseline->operands, of_baseline->declared, {}};
  for (const experiment::SubjectId& subject : cell.subjects) {
    auto parameters = parameters_of(plan, cell, subject);
    if (!parameters.empty()) dimensions.parameters[subject.text()] = std::move(parameters);
  }
  return dimensions;
}

void add_of_dimensions(std::vector<Finding>& findings, const experiment::Plan& plan) {
  std::map<std::string, std::vector<std::string>> cells;  // by what differs
  for (const experiment::Cell& cell : plan.cells) {
    const std::string differences = differences_of(plan, cell);
    if (!differences.empty()) cells[differences].push_back(cell.id());
  }
  for (const auto& [differences, in] : cells) {
    findings.push_back(
        {"dimensions.differ",
         fmt::format("The builds {} and {} describe {} differently, so the ratio is of that too: "
                     "{}.",
                     plan.builds.front().name, plan.builds.back().name,
                     in.size() == 1 ? "this case" : counted(in.size(), "cell"), differences),
         in.size() == 1 ? in.front() : ""});
  }
}

}  // namespace assay::judge::detail
