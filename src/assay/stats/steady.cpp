// SPDX-License-Identifier: MIT
#include "assay/stats/steady.hpp"

#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

bool is_steady(std::span<const double> samples, double relative_tolerance) {
  ASSAY_EXPECTS(relative_tolerance >= 0);
  if (samples.size() < 2 * kSteadyWindow) return false;
  const auto newest_two = samples.last(2 * kSteadyWindow);
  const double before = median(newest_two.first(kSteadyWindow));
  const double newest = median(newest_two.last(kSteadyWindow));
  ASSAY_EXPECTS(before >= 0 && newest >= 0);
  return std::abs(newest - before) <= relative_tolerance * before;
}

}  // namespace assay::stats
