// SPDX-License-Identifier: MIT
//
// Compares an output with what the reference expects. Every element is looked at; a result that is
// not finite where the reference is, or that was never written, never passes.
//
// The reference computes in double; an element passes if it is the expected value rounded to the
// output's dtype, or keeps any of the tolerance's bounds. Where the expected value is too large for
// the dtype, so that rounding overflows, the overflowed value (infinity, or NaN where the type has
// none) is right. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/helpers.hpp"
#include "assay/base/reading.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/reference.hpp"
#include "assay/problem/tensor.hpp"
#include "assay/problem/tolerance.hpp"

namespace assay {

struct Mismatch {
  std::int64_t index;  // logical
  double got;
  double expected;
  friend bool operator==(const Mismatch& a, const Mismatch& b) {
    return a.index == b.index && a.got == b.got && a.expected == b.expected;
  }
};

struct OutputComparison {
  std::string name;
  bool passed = false;
  // The reference itself is at fault: it gave NaN or infinity where that may not be. The subject
  // was not judged. On adversarial content this means: not applicable there.
  bool reference_failed = false;
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  Reading<Mismatch> first_mismatch = Missing{"none", "no element is wrong"};
  // Over the elements where both values are finite; missing if there is none.
  Reading<double> largest_absolute_error = Missing{"no-elements", "no finite pair to compare"};
  Reading<double> largest_relative_error = Missing{"no-elements", "no finite pair to compare"};
  // 1 is the bound itself. Missing also for exact comparison.
  Reading<double> largest_error_over_bound = Missing{"no-elements", "no finite pair to compare"};
  std::int64_t nonfinite_got = 0;
  std::int64_t nonfinite_expected = 0;
  std::int64_t unwritten = 0;  // mismatches that still hold the poison
  std::string reason;          // one line for people; also when passed
};

struct ComparisonOptions {
  // Key of the poison that the output held before the call: then unwritten elements are told apart.
  std::optional<std::uint64_t> poison_key;
  // Adversarial content may have a reference that is not finite, if the problem says that such
  // values propagate. On ordinary content that is always an error of the reference.
  bool adversarial_content = false;
  Helpers helpers = {};
};

// magnitudes: empty unless the tolerance is scaled by them.
OutputComparison compare_output(const std::string& name, const Tensor& tensor,
                                const std::byte* payload, const std::vector<double>& expected,
                                const std::vector<double>& magnitudes, const Tolerance& tolerance,
                                const SpecialValues& special_values,
                                const ComparisonOptions& options = {});

// The same from run_reference(); uses the flushed alternative if there is one.
OutputComparison compare_output(const ExpectedOutput& expected, const std::byte* payload,
                                const Tolerance& tolerance, const SpecialValues& special_values,
                                const ComparisonOptions& options = {});

// What compare_output allows around one expected value: the widest of the bounds, 0 for exact.
double allowed_error(const Tolerance& tolerance, const DType& dtype, double expected,
                     double magnitude);

}  // namespace assay
