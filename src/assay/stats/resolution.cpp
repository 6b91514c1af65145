// SPDX-License-Identifier: MIT
#include "assay/stats/resolution.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/error.hpp"

namespace assay::stats {

bool differences_tie(std::span<const double> differences) {
  ASSAY_EXPECTS(!differences.empty());
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  return *most - *least <= kNoLogSpread;
}

double relative_step(const Resolution& resolution) {
  ASSAY_EXPECTS(std::isfinite(resolution.step_s) && resolution.step_s > 0);
  ASSAY_EXPECTS(resolution.baseline.sample_length_s > 0);
  ASSAY_EXPECTS(resolution.candidate.sample_length_s > 0);
  return resolution.step_s /
         std::min(resolution.baseline.sample_length_s, resolution.candidate.sample_length_s);
}

bool is_dithered(const Resolution& resolution) {
  const auto spreads = [&](const SubjectTiming& subject) {
    return subject.within_trial_sd_s.has_value() &&
           *subject.within_trial_sd_s >= kDitherSteps * resolution.step_s;
  };
  return spreads(resolution.baseline) && spreads(resolution.candidate);
}

double resolution_standard_error(const Resolution& resolution, std::size_t trials) {
  ASSAY_EXPECTS(resolution.samples_per_trial >= 1 && trials >= 1);
  if (!is_dithered(resolution)) return 0;
  return relative_step(resolution) /
         std::sqrt(6.0 * static_cast<double>(resolution.samples_per_trial) *
                   static_cast<double>(trials));
}

double resolution_half_width(const Resolution& resolution, double t, std::size_t trials) {
  return is_dithered(resolution) ? t * resolution_standard_error(resolution, trials)
                                 : relative_step(resolution);
}

}  // namespace assay::stats
