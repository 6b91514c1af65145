// SPDX-License-Identifier: MIT
//
// Adversarial cases: the inputs that friendly benchmarks leave out. Extreme magnitudes,
// cancellation, special values, lengths around vector and tile widths, misaligned views. A bounded,
// deterministic list made from what the problem declares; each case changes one thing. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/problem/axis.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/tensor.hpp"

namespace assay {

// What the floating inputs hold instead of their random values. Inputs with constants, integers, a
// custom generator or Renewal::mutate keep their content: they are parameters, or keep promises
// that we do not know. Inputs that are declared non-negative (uniform from 0 up) stay so.
enum class AdversarialContent {
  declared,      // no change
  large,         // as large as sums (or squares and their sums: SpecialValues::range) stay finite
  small,         // around the smallest normal number (or its root)
  cancellation,  // each value once with either sign, and a tiny remainder
  subnormal,
  nan,       // declared values with a few NaN
  infinity,  // declared values with a few +infinities
  equal,     // all the same
  zeros,
};

struct AdversarialCase {
  std::string name;    // slug: "content-cancellation", "size-n-1023", "misaligned-x"
  std::string change;  // for people: "x, y hold values that cancel"
  Case which;
  AdversarialContent content = AdversarialContent::declared;
  SpecialValues::Range range = SpecialValues::Range::squares;
  std::string misaligned;  // the input or output that is moved by one element; empty if none

  // The tensors of this case: use these in place of spec.tensor(which).
  Tensor input(const InputSpec& spec) const;
  Tensor output(const OutputSpec& spec) const;
  bool has_special_values() const noexcept {
    return content == AdversarialContent::nan || content == AdversarialContent::infinity;
  }
  bool has_subnormals() const noexcept { return content == AdversarialContent::subnormal; }
};

struct AdversarialBudget {
  std::size_t cases = 256;
  std::int64_t elements = std::int64_t{1} << 22;  // of all tensors of one case
};

// Contents and misaligned views run on a measured case of moderate size, sizes with the rest of the
// integer axes at the smallest measured value; all of it once for each combination of the text
// axes (dtypes, options) that was measured. Sizes that are measured anyway are left out, as are
// cases beyond the budget: every second size first, never a content.
std::vector<AdversarialCase> adversarial_cases(const Contract& contract,
                                               const std::vector<Axis>& axes,
                                               const std::vector<Case>& measured,
                                               const AdversarialBudget& budget = {});

}  // namespace assay
