// SPDX-License-Identifier: MIT
//
// Spearman's rank correlation: whether two series rise and fall together, however they do so.
// A description: values that resemble their neighbours make p too small.
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

struct RankCorrelation {
  double rho = 0;
  double p_two_sided = 1;  // by t with n − 2 degrees of freedom
};

// Of as many values on either side; ties get their mean rank. Missing: "insufficient" below four
// values, "no-spread" where all of a side tie.
Reading<RankCorrelation> rank_correlation(std::span<const double> x, std::span<const double> y);

}  // namespace assay::stats
