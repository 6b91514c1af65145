// SPDX-License-Identifier: MIT
#include "assay/problem/gate_power.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "assay/base/counted.hpp"
#include "assay/base/error.hpp"
#include "assay/base/large_memory.hpp"
#include "assay/base/random.hpp"
#include "assay/problem/compare.hpp"
#include "assay/problem/content.hpp"
#include "assay/problem/detail/elements.hpp"
#include "assay/problem/placement.hpp"

namespace assay {
namespace {

class Mutants {
 public:
  Mutants(const Contract& contract, const ExpectedOutput& expected, const std::byte* payload,
          std::uint64_t key, const Helpers& helpers)
      : contract_(contract),
        expected_(expected),
        tensor_(expected.tensor),
        right_(large_copy(payload, payload + placement_of(expected.tensor).payload_bytes)),
        key_(key),
        helpers_(helpers) {}

  GatePowerResult zeros() const {
    return judged_values("zeros", "", large_vector<double>(expected_.elements.size()));
  }

  GatePowerResult copied(const std::string& source, const InputContent& input) const {
    std::vector<double> values = to_doubles(*input.tensor, input.payload, helpers_);
    values.resize(expected_.elements.size());
    return judged_values("copied-input", source, values);
  }

  GatePowerResult unwritten_tail() const {
    const std::int64_t elements = tensor_.element_count();
    const std::int64_t first = elements - std::max<std::int64_t>(elements / 10, 1);
    const std::vector<std::byte> poison = poison_element(tensor_.dtype(), key_);
    std::vector<std::byte> mutant = copy_of_right();
    for (std::int64_t i = first; i < elements; ++i) {
      std::memcpy(element_of(mutant, i), poison.data(), poison.size());
    }
    return judged("unwritten-tail", "", mutant);
  }

  // One element, drawn by the key, moved out of its bound. Where the tolerance takes every value
  // that the dtype can hold there is none such: nothing could be caught.
  GatePowerResult one_wrong_element() const {
    const std::int64_t elements = tensor_.element_count();
    Random random(derive_key(key_, {"one-wrong-element"}));
    std::int64_t index =
        static_cast<std::int64_t>(random.next_below(static_cast<std::uint64_t>(elements)));
    for (std::int64_t tried = 0; tried < elements; ++tried, index = (index + 1) % elements) {
      const auto i = static_cast<std::size_t>(index);
      if (!std::isfinite(expected_.elements[i])) continue;
      const double magnitude = expected_.magnitudes.empty() ? 0.0 : expected_.magnitudes[i];
      const double bound =
          allowed_error(*contract_.tolerance, tensor_.dtype(), expected_.elements[i], magnitude);
      if (const auto wrong = value_outside(expected_.elements[i], bound)) {
        std::vector<std::byte> mutant = copy_of_right();
        tensor_.dtype().from_double(*wrong, element_of(mutant, index));
        return judged("one-wrong-element", "", mutant);
      }
    }
    return {expected_.name, "one-wrong-element", "", true, false};
  }

 private:
  std::vector<std::byte> copy_of_right() const {
    return large_copy(right_.data(), right_.data() + right_.size());
  }

  std::byte* element_of(std::vector<std::byte>& payload, std::int64_t index) const {
    return detail::at(payload.data(), tensor_.dtype(), tensor_.offset_of(index));
  }

  // A finite value of the dtype at least four bounds away on one side, nearer where there is none.
  std::optional<double> value_outside(double expected, double bound) const {
    const DType& dtype = tensor_.dtype();
    const double step = ulp_at(dtype, expected);
    const double rounded = detail::rounded_to(dtype, expected);
    const bool first_up = (key_ & 1) == 0;
    for (const double bounds : {4.0, 2.0, 1.0}) {
      const double distance = std::max(bounds * bound, 2 * step) + (bounds == 1.0 ? step : 0.0);
      for (const double sign : {first_up ? 1.0 : -1.0, first_up ? -1.0 : 1.0}) {
        const double value = detail::rounded_to(dtype, expected + sign * distance);
        if (!std::isfinite(value) || value == rounded) continue;
        if (value == 0 && std::fabs(expected) < std::ldexp(1.0, dtype.min_exponent)) continue;
        if (std::fabs(value - expected) > bound) return value;
      }
    }
    return std::nullopt;
  }

  GatePowerResult judged_values(const char* mutant, const std::string& source,
                                const std::vector<double>& values) const {
    std::vector<std::byte> payload = copy_of_right();
    from_doubles(tensor_, values, payload.data(), helpers_);
    return judged(mutant, source, payload);
  }

  GatePowerResult judged(const char* mutant, const std::string& source,
                         const std::vector<std::byte>& payload) const {
    std::atomic<bool> differs = false;
    const auto look_at = [&](std::int64_t first, std::int64_t last) {
      detail::for_each_value(
          tensor_, payload.data(), first, last, [&](std::int64_t index, double value) {
            const double wanted = detail::rounded_to(
                tensor_.dtype(), expected_.elements[static_cast<std::size_t>(index)]);
            const bool same = value == wanted || (std::isnan(value) && std::isnan(wanted));
            if (same || differs.load(std::memory_order_relaxed)) return;
            // A right output differs from the rounded reference too: only where the mutant changed
            // it.
            double before = 0;
            detail::load_elements(
                tensor_.dtype(),
                detail::at(right_.data(), tensor_.dtype(), tensor_.offset_of(index)), 1, 1,
                &before);
            if (value != before) differs = true;
          });
    };
    detail::share_elements(helpers_, tensor_, tensor_.element_count(), look_at);
    GatePowerResult result{expected_.name, mutant, source, differs, false};
    ComparisonOptions options;
    options.poison_key = key_;
    options.helpers = helpers_;
    const OutputComparison comparison = compare_output(
        expected_, payload.data(), *contract_.tolerance, contract_.special_values, options);
    result.caught = !comparison.passed && !comparison.reference_failed;
    return result;
  }

  const Contract& contract_;
  const ExpectedOutput& expected_;
  const Tensor& tensor_;
  std::vector<std::byte> right_;
  std::uint64_t key_;
  Helpers helpers_;
};

std::string described(const GatePowerResult& result) {
  const std::string output = "'" + result.output + "'";
  if (result.mutant == "zeros") return "an output " + output + " of zeros";
  if (result.mutant == "copied-input") {
    return "the input '" + result.source + "' copied to the output " + output;
  }
  if (result.mutant == "unwritten-tail") {
    return "an output " + output + " of which the last tenth was never written";
  }
  return "an output " + output + " with one wrong element";
}

void conclude(GatePowerFinding& finding, const GatePowerResult& like) {
  const std::string what = described(like);
  finding.too_weak = finding.cases_differing > 0 && finding.cases_caught == 0;
  if (finding.cases_differing == 0) {
    finding.slug = "check.not-applicable";
    finding.sentence = what + " is what the reference expects in every case";
  } else if (finding.too_weak) {
    finding.slug = "check.too-weak";
    finding.sentence = what + " differs from the reference in " +
                       counted(finding.cases_differing, "case") +
                       " and passed the check in all of them: a subject that does not do the "
                       "work would pass. Narrow the tolerance, or choose inputs that make the "
                       "results differ";
  } else {
    finding.slug = "check.caught";
    finding.sentence = what + " was caught in " + std::to_string(finding.cases_caught) + " of " +
                       counted(finding.cases_differing, "case") + " where it is wrong";
  }
}

}  // namespace

std::vector<GatePowerResult> gate_power(const Contract& contract,
                                        const std::vector<InputContent>& inputs,
                                        const ExpectedOutput& expected, const std::byte* payload,
                                        std::uint64_t key, const Helpers& helpers) {
  ASSAY_EXPECTS(contract.tolerance.has_value());
  ASSAY_EXPECTS(inputs.size() == contract.inputs.size());
  std::vector<GatePowerResult> results;
  const std::int64_t elements = expected.tensor.element_count();
  if (elements == 0) return results;
  const Mutants mutants(contract, expected, payload, key, helpers);
  results.push_back(mutants.zeros());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor->element_count() < elements) continue;
    results.push_back(mutants.copied(contract.inputs[i].name, inputs[i]));
  }
  results.push_back(mutants.unwritten_tail());
  results.push_back(mutants.one_wrong_element());
  return results;
}

std::vector<GatePowerFinding> fold_gate_power(const std::vector<GatePowerResult>& results) {
  std::vector<GatePowerFinding> findings;
  std::vector<const GatePowerResult*> firsts;
  for (const GatePowerResult& result : results) {
    auto found =
        std::find_if(findings.begin(), findings.end(), [&](const GatePowerFinding& finding) {
          return finding.output == result.output && finding.mutant == result.mutant &&
                 finding.source == result.source;
        });
    if (found == findings.end()) {
      GatePowerFinding finding;
      finding.output = result.output;
      finding.mutant = result.mutant;
      finding.source = result.source;
      findings.push_back(finding);
      firsts.push_back(&result);
      found = findings.end() - 1;
    }
    if (!result.differs_from_reference) continue;
    ++found->cases_differing;
    if (result.caught) ++found->cases_caught;
  }
  for (std::size_t i = 0; i < findings.size(); ++i) conclude(findings[i], *firsts[i]);
  return findings;
}

}  // namespace assay
