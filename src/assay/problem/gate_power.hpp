// SPDX-License-Identifier: MIT
//
// Gate power: would the check have caught a subject that does not do the work? Wrong outputs
// (mutants) are made from a right one and put through the same comparison. A mutant that differs
// from the reference somewhere and is caught nowhere shows a check that is too weak: constant
// expected results, a tolerance wider than the values, one element where many are needed. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/helpers.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/reference.hpp"

namespace assay {

// One mutant of one output in one case.
struct GatePowerResult {
  std::string output;
  std::string mutant;  // "zeros", "copied-input", "unwritten-tail", "one-wrong-element"
  std::string source;  // copied-input: which input; else empty
  bool differs_from_reference = false;
  bool caught = false;
};

// payload: a copy of an output that passed, with the layout of expected.tensor; it is not changed.
// inputs: in the order of the contract, as before the call. copied-input comes once for each input
// with at least as many elements; an output that is an in-place input starts with itself,
// untouched.
std::vector<GatePowerResult> gate_power(const Contract& contract,
                                        const std::vector<InputContent>& inputs,
                                        const ExpectedOutput& expected, const std::byte* payload,
                                        std::uint64_t key, const Helpers& helpers = {});

// One mutant of one output over all cases.
struct GatePowerFinding {
  std::string output;
  std::string mutant;
  std::string source;
  std::int64_t cases_differing = 0;
  std::int64_t cases_caught = 0;
  bool too_weak = false;  // differs somewhere and is caught nowhere
  std::string slug;       // "check.caught", "check.too-weak", "check.not-applicable"
  std::string sentence;
};

// results: of all cases of a problem. In order of first appearance.
std::vector<GatePowerFinding> fold_gate_power(const std::vector<GatePowerResult>& results);

}  // namespace assay
