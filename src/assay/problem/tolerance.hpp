// SPDX-License-Identifier: MIT
//
// Tolerance: how far an element of an output may lie from the reference. Several bounds may be
// given; an element passes if it keeps any of them (the sum of the given bounds would accept more
// than either says).
//
// A relative bound alone is wrong for sums that cancel: the error of a sum grows with Σ|terms|, not
// with the result (Higham, Accuracy and Stability of Numerical Algorithms, §4.2).
// scaled_by_sum_of_magnitudes() applies the relative bound to that.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

class Tolerance {
 public:
  static Tolerance exact();                 // the same value (−0 equals +0)
  static Tolerance absolute(double bound);  // |y − r| ≤ bound
  static Tolerance relative(double bound);  // |y − r| ≤ bound · |r|
  static Tolerance ulp(double steps);       // |y − r| ≤ steps · ulp(r) of the output's dtype
  Tolerance& or_absolute(double bound);
  Tolerance& or_relative(double bound);
  Tolerance& or_ulp(double steps);
  // The relative bound is taken of the sum of magnitudes that the reference reports
  // (ReferenceCall::magnitude) instead of |r|.
  Tolerance& scaled_by_sum_of_magnitudes();

  double absolute_bound() const noexcept { return absolute_; }  // 0: only equality
  double relative_bound() const noexcept { return relative_; }
  double ulp_bound() const noexcept { return ulp_; }
  bool is_scaled_by_magnitudes() const noexcept { return scaled_; }
  std::string text() const;  // "relative 1e-05 of the sum of magnitudes, or absolute 1e-08"

 private:
  Tolerance() = default;
  double absolute_ = 0;
  double relative_ = 0;
  double ulp_ = 0;
  bool scaled_ = false;
};

}  // namespace assay
