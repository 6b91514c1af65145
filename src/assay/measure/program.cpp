// SPDX-License-Identifier: MIT
#include "assay/measure/program.hpp"

#include <algorithm>

#include "assay/base/error.hpp"

namespace assay {
namespace {

// Names stand in identities (problem/case/state/boundary, subject@build), in CSV files without
// quotes, and in marks.
void expect_name(const std::string& what, const std::string& name) {
  if (!can_stand_in_id(name) || name.size() > 200 || name.find('@') != std::string::npos) {
    throw Error(ErrorKind::usage,
                "the name of " + what + " '" + name +
                    "' must not be empty, longer than 200 bytes, or hold a blank or one of , \" = "
                    "/ @");
  }
}

[[noreturn]] void taken(const std::string& what, const std::string& name) {
  throw Error(ErrorKind::usage, what + " '" + name + "' is declared twice");
}

template <typename Specs>
bool has(const Specs& specs, const std::string& name) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const auto& spec) { return spec.name == name; });
}

}  // namespace

Problem::Problem(std::string name) {
  expect_name("the problem", name);
  contract_.problem = std::move(name);
}

Problem& Problem::axis(const std::string& name, AxisValues values) {
  expect_name("the axis", name);
  if (has(axes_, name)) taken("the axis", name);
  axes_.push_back({name, std::move(values)});
  return *this;
}

Problem::Input& Problem::Input::fixed() {
  contract_->inputs[index_].renewal = Renewal::fixed;
  return *this;
}

Problem::Input& Problem::Input::mutate(Mutate function) {
  contract_->inputs[index_].renewal = Renewal::mutate;
  contract_->inputs[index_].mutate = std::move(function);
  return *this;
}

Problem::Input& Problem::Input::in_place() {
  contract_->inputs[index_].mutable_in_place = true;
  return *this;
}

Problem::Input Problem::input(const std::string& name, std::function<Tensor(const Case&)> tensor) {
  expect_name("the input", name);
  if (has(contract_.inputs, name) || has(contract_.outputs, name)) taken("the tensor", name);
  InputSpec spec;
  spec.name = name;
  spec.tensor = std::move(tensor);
  contract_.inputs.push_back(std::move(spec));
  return Input(contract_, contract_.inputs.size() - 1);
}

Problem& Problem::output(const std::string& name, std::function<Tensor(const Case&)> tensor) {
  expect_name("the output", name);
  if (has(contract_.inputs, name) || has(contract_.outputs, name)) taken("the tensor", name);
  contract_.outputs.push_back({name, std::move(tensor)});
  return *this;
}

Problem& Problem::reference(Reference reference) {
  contract_.reference = std::move(reference);
  return *this;
}

Problem& Problem::tolerance(Tolerance tolerance) {
  contract_.tolerance = tolerance;
  return *this;
}

Problem& Problem::special_values(SpecialValues values) {
  contract_.special_values = values;
  return *this;
}

Problem& Problem::unchecked() {
  unchecked_ = true;
  return *this;
}

Problem& Problem::work(WorkModel model) {
  contract_.work = std::move(model);
  return *this;
}

Problem& Problem::dimensions(DimensionModel model) {
  contract_.dimensions = std::move(model);
  return *this;
}

Problem& Problem::state(const std::string& name, StateCallback prepare) {
  expect_name("the state", name);
  if (name == "warm" || name == "cold" || name == "rotate") taken("the state", name);
  for (const auto& state : states_) {
    if (state.first == name) taken("the state", name);
  }
  states_.emplace_back(name, std::move(prepare));
  return *this;
}

Subject* Problem::find_subject(const std::string& name) const noexcept {
  for (const auto& subject : subjects_) {
    if (subject->name() == name) return subject.get();
  }
  return nullptr;
}

Subject& Problem::cuda_source(const std::string& name, CudaSource source, BuildFacts build) {
  return add(std::make_unique<Subject>(name, std::move(source), build));
}

Subject& Problem::add(std::unique_ptr<Subject> subject) {
  expect_name("the subject", subject->name());
  if (subject->name() == "control") {
    throw Error(ErrorKind::usage,
                "a subject cannot be called 'control': that is the baseline, measured a second "
                "time");
  }
  if (find_subject(subject->name()) != nullptr) taken("the subject", subject->name());
  subjects_.push_back(std::move(subject));
  return *subjects_.back();
}

Problem& Program::problem(const std::string& name) {
  if (find(name) != nullptr) taken("the problem", name);
  return problems_.emplace_back(name);
}

const Problem* Program::find(const std::string& name) const noexcept {
  for (const Problem& problem : problems_) {
    if (problem.name() == name) return &problem;
  }
  return nullptr;
}

}  // namespace assay
