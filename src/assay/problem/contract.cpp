// SPDX-License-Identifier: MIT
#include "assay/problem/contract.hpp"

namespace assay {
namespace {

std::string names_of(const std::vector<ReferenceCall::Named>& list) {
  std::string names;
  for (const auto& named : list) names += (names.empty() ? "" : ", ") + named.name;
  return names.empty() ? "none" : names;
}

template <typename List>
auto* find(List& list, const std::string& name) {
  for (auto& named : list) {
    if (named.name == name) return &named;
  }
  return decltype(&list[0])(nullptr);
}

[[noreturn]] void no_such(const char* what, const std::string& name,
                          const std::vector<ReferenceCall::Named>& list) {
  throw Error(ErrorKind::usage, std::string("the reference asks for the ") + what + " '" + name +
                                    "', which is not there; there are: " + names_of(list));
}

}  // namespace

const std::vector<double>& ReferenceCall::input(const std::string& name) const {
  const Named* found = find(inputs_, name);
  if (found == nullptr) no_such("input", name, inputs_);
  return found->elements;
}

const Shape& ReferenceCall::shape(const std::string& name) const {
  const Named* found = find(inputs_, name);
  if (found == nullptr) found = find(outputs_, name);
  if (found == nullptr) {
    std::vector<Named> all = inputs_;
    all.insert(all.end(), outputs_.begin(), outputs_.end());
    no_such("shape of", name, all);
  }
  return found->tensor->shape();
}

std::vector<double>& ReferenceCall::output(const std::string& name) {
  Named* found = find(outputs_, name);
  if (found == nullptr) no_such("output", name, outputs_);
  return found->elements;
}

std::vector<double>& ReferenceCall::magnitude(const std::string& name) {
  Named* found = find(outputs_, name);
  if (found == nullptr) no_such("output", name, outputs_);
  if (found->magnitudes.empty()) found->magnitudes.resize(found->elements.size(), 0.0);
  return found->magnitudes;
}

}  // namespace assay
