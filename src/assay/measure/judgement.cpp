// SPDX-License-Identifier: MIT
#include "assay/measure/judgement.hpp"

#include <cmath>

#include "assay/problem/compare.hpp"

namespace assay::measure {
namespace {

// JSON has no NaN and no infinities.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

Json detail_of(const OutputComparison& comparison) {
  Json detail{{"output", comparison.name},
              {"passed", comparison.passed},
              {"elements", comparison.elements},
              {"mismatches", comparison.mismatches}};
  if (comparison.first_mismatch) {
    detail["first_mismatch"] = Json{{"index", comparison.first_mismatch->index},
                                    {"got", number_json(comparison.first_mismatch->got)},
                                    {"expected", number_json(comparison.first_mismatch->expected)}};
  }
  detail["largest_absolute_error"] = json_of(comparison.largest_absolute_error);
  detail["largest_relative_error"] = json_of(comparison.largest_relative_error);
  detail["largest_error_over_bound"] = json_of(comparison.largest_error_over_bound);
  detail["nonfinite_got"] = comparison.nonfinite_got;
  detail["nonfinite_expected"] = comparison.nonfinite_expected;
  detail["unwritten"] = comparison.unwritten;
  detail["reason"] = comparison.reason;
  return detail;
}

void fail(experiment::CheckResult& result, const char* kind, const std::string& reason) {
  result.passed = false;
  if (!result.detail.contains("failure")) result.detail["failure"] = kind;
  result.reason += (result.reason.empty() ? "" : "; ") + reason;
}

}  // namespace

void threw(experiment::CheckResult& result, const char* failure, const std::string& message) {
  fail(result, failure, "the subject threw: " + message);
}

void refused_code(experiment::CheckResult& result, const std::string& why) {
  result.detail["failure"] = experiment::failure::code_refused;
  result.reason = why + "; the subject did not say so, and its output: " + result.reason;
}

void judge(const Problem& problem, const OutputCopy& copy, const ReferenceResult* expected,
           bool adversarial, const Helpers& helpers, experiment::CheckResult& result) {
  result.passed = true;
  if (copy.out_of_bounds) fail(result, experiment::failure::out_of_bounds, *copy.out_of_bounds);
  if (copy.input_changed) fail(result, experiment::failure::input_changed, *copy.input_changed);
  if (expected == nullptr) {
    if (result.passed) {
      result.passed = false;
      result.applicable = false;
      result.reason = "the problem is declared unchecked";
    }
    return;
  }
  const std::size_t pure_outputs = problem.contract().outputs.size();
  Json outputs = Json::array();
  bool reference_failed = false;
  std::string reference_reason;
  for (std::size_t i = 0; i < expected->outputs.size(); ++i) {
    ComparisonOptions options;
    options.adversarial_content = adversarial;
    options.helpers = helpers;
    if (i < pure_outputs) options.poison_key = copy.poison_key;
    const OutputComparison comparison =
        compare_output(expected->outputs[i], copy.payloads[i].data(), *problem.contract().tolerance,
                       problem.contract().special_values, options);
    outputs.push_back(detail_of(comparison));
    if (comparison.reference_failed) {
      reference_failed = true;
      reference_reason = comparison.reason;
    } else if (!comparison.passed) {
      fail(result, experiment::failure::wrong_output, comparison.reason);
    }
  }
  result.detail["outputs"] = std::move(outputs);
  if (!reference_failed || !result.passed) return;
  result.passed = false;
  result.applicable = !adversarial;
  result.reason = reference_reason;
}

}  // namespace assay::measure
