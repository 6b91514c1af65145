// SPDX-License-Identifier: MIT
#include "assay/problem/reference.hpp"

#include <cmath>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/base/large_memory.hpp"
#include "assay/base/time.hpp"
#include "assay/problem/content.hpp"

namespace assay {
namespace {

// True if something was flushed.
bool flush_subnormals(const DType& dtype, std::vector<double>& elements) {
  if (dtype.kind != DType::Kind::floating) return false;
  const double smallest_normal = std::ldexp(1.0, dtype.min_exponent);
  bool flushed = false;
  for (double& element : elements) {
    if (element != 0 && std::fabs(element) < smallest_normal) {
      element = 0;
      flushed = true;
    }
  }
  return flushed;
}

void check_output(const Contract& contract, const Case& the_case,
                  const ReferenceCall::Named& output) {
  const auto wanted = static_cast<std::size_t>(output.tensor->element_count());
  const std::string what = "the reference of '" + contract.problem + "' in the case '" +
                           the_case.id() + "' left output '" + output.name + "' with ";
  if (output.elements.size() != wanted) {
    throw Error(ErrorKind::usage, what + std::to_string(output.elements.size()) +
                                      " elements, its tensor has " + std::to_string(wanted) +
                                      ": assign elements, do not resize");
  }
  if (output.magnitudes.empty()) {
    if (wanted > 0 && contract.tolerance && contract.tolerance->is_scaled_by_magnitudes()) {
      throw Error(ErrorKind::usage, what + "no sums of magnitudes, which the tolerance (" +
                                        contract.tolerance->text() +
                                        ") needs: fill ReferenceCall::magnitude(\"" + output.name +
                                        "\")");
    }
  } else if (output.magnitudes.size() != wanted) {
    throw Error(ErrorKind::usage, what + std::to_string(output.magnitudes.size()) +
                                      " magnitudes, its tensor has " + std::to_string(wanted) +
                                      " elements: assign elements, do not resize");
  }
}

}  // namespace

ReferenceResult run_reference(const Contract& contract, const Case& the_case,
                              const std::vector<InputContent>& inputs,
                              const ReferenceOptions& options) {
  ASSAY_EXPECTS(contract.reference != nullptr);
  ASSAY_EXPECTS(inputs.size() == contract.inputs.size());
  std::vector<ReferenceCall::Named> named_inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    named_inputs.push_back({contract.inputs[i].name,
                            inputs[i].tensor,
                            to_doubles(*inputs[i].tensor, inputs[i].payload, options.helpers),
                            {}});
  }

  ReferenceResult result;
  for (const OutputSpec& spec : contract.outputs) {
    result.outputs.push_back({spec.name, spec.tensor(the_case), {}, {}, {}, {}});
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!contract.inputs[i].mutable_in_place) continue;
    result.outputs.push_back({contract.inputs[i].name, *inputs[i].tensor, {}, {}, {}, {}});
  }

  const auto run = [&](std::vector<ReferenceCall::Named> call_inputs) {
    std::vector<ReferenceCall::Named> call_outputs;
    for (const ExpectedOutput& output : result.outputs) {
      const auto count = static_cast<std::size_t>(output.tensor.element_count());
      call_outputs.push_back({output.name, &output.tensor, large_vector<double>(count), {}});
    }
    ReferenceCall call(the_case, std::move(call_inputs), std::move(call_outputs));
    const std::int64_t start_ns = monotonic_ns();
    contract.reference(call);
    result.time_ns += monotonic_ns() - start_ns;
    for (const auto& output : call.outputs()) check_output(contract, the_case, output);
    return call.take_outputs();
  };

  std::vector<ReferenceCall::Named> flushed_inputs;
  bool flushed = false;
  if (options.also_flushed) {
    flushed_inputs = named_inputs;
    for (auto& input : flushed_inputs) {
      if (flush_subnormals(input.tensor->dtype(), input.elements)) flushed = true;
    }
  }
  auto outputs = run(std::move(named_inputs));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    result.outputs[i].elements = std::move(outputs[i].elements);
    result.outputs[i].magnitudes = std::move(outputs[i].magnitudes);
  }
  if (flushed) {
    outputs = run(std::move(flushed_inputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      result.outputs[i].flushed_elements = std::move(outputs[i].elements);
      result.outputs[i].flushed_magnitudes = std::move(outputs[i].magnitudes);
    }
  }
  return result;
}

}  // namespace assay
