// SPDX-License-Identifier: MIT
//
// Estimators that a few odd values cannot move far: for display, for flags and as a second opinion.
// No verdict rests on them, and nothing is ever dropped because of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Median of all (xᵢ + xⱼ)/2, i ≤ j (Hodges & Lehmann 1963): the estimate of a centre of symmetry
// that belongs to sign and rank tests. At least one value; time and memory grow with n².
double hodges_lehmann(std::span<const double> values);

// Median distance from the median, of the values at or below it and of those at or above it. Times
// have a long upper side, which one MAD for both would hide.
struct DoubleMad {
  double lower = 0;
  double upper = 0;
};

// Missing below two values.
Reading<DoubleMad> double_mad(std::span<const double> values);

// Quantile as a weighted sum of all order statistics (Harrell & Davis, Biometrika 69, 1982):
// smoother than a single order statistic. probability in (0, 1); at least one value.
double harrell_davis(std::span<const double> values, double probability);

// The same at 0, 1/parts, 2/parts … 1 (least value and greatest value at the ends) for any number
// of sets of `count` values: the weights, count·parts incomplete beta functions at most, are worked
// out once. What lies in the outer 1e-8 of a weight's distribution is left out.
class EvenQuantiles {
 public:
  EvenQuantiles(std::size_t count, std::size_t parts);
  // parts + 1 quantiles, ascending. sorted_values: `count` of them.
  std::vector<double> operator()(std::span<const double> sorted_values) const;

 private:
  struct Weights {
    std::size_t first = 0;  // order statistic that the first weight belongs to
    std::vector<double> weights;
  };
  std::size_t count_;
  std::vector<Weights> inner_;
};

}  // namespace assay::stats
