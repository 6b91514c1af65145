// SPDX-License-Identifier: MIT
//
// Contract: what a problem demands of every subject: inputs, outputs, the reference, the tolerance,
// and what special values do. Plain data and functions; measure/program.hpp is the builder that a
// user fills it with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/dimensions.hpp"
#include "assay/problem/tensor.hpp"
#include "assay/problem/tolerance.hpp"

namespace assay {

// What a fresh content of an input means.
enum class Renewal {
  fresh,   // new random elements per trial and block (the default)
  mutate,  // the problem's own function changes it: indices, offsets, sorted keys
  fixed,   // always the same: weights that a real caller would not change
};

// The elements of an input as doubles in logical order, changed in place into a new valid content
// under the key.
using Mutate = std::function<void(const Case&, std::uint64_t key, std::vector<double>& elements)>;

struct InputSpec {
  std::string name;
  std::function<Tensor(const Case&)> tensor;
  Renewal renewal = Renewal::fresh;
  Mutate mutate;                  // with Renewal::mutate
  bool mutable_in_place = false;  // the subject may write it; it is restored before every sample
  // An in-place input is an output too: what it holds after the call is compared.
};

struct OutputSpec {
  std::string name;
  std::function<Tensor(const Case&)> tensor;
};

// One run of the reference: inputs as doubles in logical (row-major) order, outputs to be filled.
class ReferenceCall {
 public:
  struct Named {
    std::string name;
    const Tensor* tensor;
    std::vector<double> elements;
    std::vector<double> magnitudes;  // outputs: empty, or one sum of magnitudes per element
  };
  ReferenceCall(const Case& the_case, std::vector<Named> inputs, std::vector<Named> outputs)
      : case_(the_case), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  const Case& which() const noexcept { return case_; }
  // Throw Error{usage} that lists the names when there is none such.
  const std::vector<double>& input(const std::string& name) const;
  const Shape& shape(const std::string& name) const;  // of an input or output
  std::vector<double>& output(const std::string& name);
  // Sized like the output on first use, zeros: fill it with Σ|terms| per element for scaled
  // tolerances.
  std::vector<double>& magnitude(const std::string& name);

  const std::vector<Named>& outputs() const noexcept { return outputs_; }
  std::vector<Named> take_outputs() noexcept { return std::move(outputs_); }

 private:
  const Case& case_;
  std::vector<Named> inputs_;
  std::vector<Named> outputs_;
};

using Reference = std::function<void(ReferenceCall&)>;

// What NaN, Inf and subnormal inputs must do. Where it is not specified, adversarial contents with
// such values are not run.
struct SpecialValues {
  enum class NonFinite {
    unspecified,
    propagate
  };  // propagate: NaN and ±Inf exactly where the reference has them
  enum class Subnormal {
    unspecified,
    exact,
    may_flush
  };  // may_flush: a subnormal may count as 0, in or out
  // How large and small the magnitudes of floating inputs may be. Adversarial contents stay within.
  enum class Range {
    squares,  // squares of elements, and their sums, neither overflow nor vanish in the dtype
    sums      // sums of elements do not overflow: nearly the whole range of the dtype
  };
  NonFinite non_finite = NonFinite::unspecified;
  Subnormal subnormal = Subnormal::may_flush;
  Range range = Range::squares;
};

// Useful work of one call: what a lower bound of its time is computed from.
struct Work {
  double bytes_read = 0;
  double bytes_written = 0;
  double flop = 0;
  double items = 0;  // elements, cells, tokens, images, requests … ; item_name says which
  std::string item_name;
  // Of flop, how many are of a dtype ("f32", "f64"), so that they are held against its peak. What
  // this leaves out is of no dtype that is said.
  std::map<std::string, double> flop_by_dtype = {};
};
using WorkModel = std::function<Work(const Case&)>;

struct Contract {
  std::string problem;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  Reference reference;                 // empty: unchecked
  std::optional<Tolerance> tolerance;  // for all outputs; absent only when unchecked
  SpecialValues special_values;
  WorkModel work;             // may be empty
  DimensionModel dimensions;  // may be empty
};

}  // namespace assay
