// SPDX-License-Identifier: MIT
//
// The `where` of a prediction: "rows = 4096 and cols >= 8192", a conjunction of comparisons of an
// axis with a value.
#pragma once

#include <string>
#include <vector>

#include "assay/base/case.hpp"

namespace assay::experiment {

class Predicate {
 public:
  // Empty text matches every case. Operators: = != < <= > >=; the last four need numbers. Throws
  // Error{bad_input} without a place.
  static Predicate parse(const std::string& text);
  // False if the case lacks an axis that is named.
  bool matches(const Case& the_case) const;
  // Names of the axes, for checking them against the program.
  std::vector<std::string> axes() const;

 private:
  struct Term {
    std::string axis;
    std::string op;
    AxisValue value;
  };
  std::vector<Term> terms_;
};

}  // namespace assay::experiment
