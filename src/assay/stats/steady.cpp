// SPDX-License-Identifier: MIT
#include "assay/stats/steady.hpp"

#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

bool is_steady(std::span<const double> samples, double relative_tolerance) {
  ASSAY_EXPECTS(relative_tolerance >= 0);
  if (samples.size() < 2 * kSteadyWindow) return false;
  const auto newest_two = samples.last(2 * kSteadyWindow);
  const auto before = newest_two.first(kSteadyWindow);
  const double least_before = *std::min_element(before.begin(), before.end());
  const double newest = median(newest_two.last(kSteadyWindow));
  ASSAY_EXPECTS(least_before >= 0 && newest >= 0);
  return newest >= (1 - relative_tolerance) * least_before;
}

}  // namespace assay::stats
