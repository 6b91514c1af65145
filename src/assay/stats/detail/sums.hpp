// SPDX-License-Identifier: MIT
//
// Sums that do not depend on the order of their terms, in practice: a statistic of the same values
// must be the same number whichever way a record was read. Neumaier's compensation (ZAMM 54, 1974).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "assay/base/error.hpp"

namespace assay::stats::detail {

class Sum {
 public:
  void add(double term) {
    const double total = total_ + term;
    compensation_ +=
        std::abs(total_) >= std::abs(term) ? (total_ - total) + term : (term - total) + total_;
    total_ = total;
  }
  double value() const { return total_ + compensation_; }

 private:
  double total_ = 0;
  double compensation_ = 0;
};

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

inline double count_of(std::span<const double> values) {
  return static_cast<double>(values.size());
}

}  // namespace assay::stats::detail
