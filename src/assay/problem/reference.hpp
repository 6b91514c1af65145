// SPDX-License-Identifier: MIT
//
// Runs a problem's reference on the content of its inputs: what each output, and each input that
// may be written in place, must hold. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/helpers.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/tensor.hpp"

namespace assay {

// An input before the call, in the order of Contract::inputs.
struct InputContent {
  const Tensor* tensor;
  const std::byte* payload;
};

struct ExpectedOutput {
  std::string name;
  Tensor tensor;
  std::vector<double> elements;    // logical order
  std::vector<double> magnitudes;  // empty if the reference reports none
  // With ReferenceOptions::also_flushed: the same for inputs whose subnormals were replaced by 0.
  // Either is right. Else empty.
  std::vector<double> flushed_elements;
  std::vector<double> flushed_magnitudes;
};

struct ReferenceResult {
  // The outputs in the order of the contract, then the inputs that may be written in place.
  std::vector<ExpectedOutput> outputs;
  std::int64_t time_ns = 0;  // wall time of the reference alone; shown, and budgeted by the caller
};

struct ReferenceOptions {
  bool also_flushed = false;  // for contents with subnormals where they may be flushed
  Helpers helpers = {};       // for conversions; the reference itself is called by one thread
};

// An in-place input appears to the reference twice: as an input (its old content) and as an output
// of the same name, which starts as zeros like the others.
// Throws Error{usage} if the reference resizes an output, or leaves out magnitudes that the
// tolerance needs. contract.reference must not be empty.
ReferenceResult run_reference(const Contract& contract, const Case& the_case,
                              const std::vector<InputContent>& inputs,
                              const ReferenceOptions& options = {});

// What a cached result depends on, beside the program's own bytes.
struct ReferenceKey {
  std::string problem;
  std::string case_id;
  std::uint64_t content_key = 0;
  std::string content;  // slug of an adversarial content; empty for the declared one

  friend bool operator<(const ReferenceKey& a, const ReferenceKey& b) {
    return std::tie(a.problem, a.case_id, a.content_key, a.content) <
           std::tie(b.problem, b.case_id, b.content_key, b.content);
  }
  friend bool operator==(const ReferenceKey& a, const ReferenceKey& b) {
    return !(a < b) && !(b < a);
  }
};

}  // namespace assay
