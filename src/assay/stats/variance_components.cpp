// SPDX-License-Identifier: MIT
#include "assay/stats/variance_components.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

Reading<VarianceComponents> variance_components(std::span<const std::vector<double>> trials) {
  if (trials.size() < 2) {
    return Missing{"too-few-trials",
                   "needs at least 2 trials, has " + std::to_string(trials.size())};
  }
  std::vector<double> means;
  detail::Sum reciprocals;
  for (const std::vector<double>& samples : trials) {
    if (samples.size() < 2) {
      return Missing{"too-few-samples", "needs at least 2 samples in each trial, one has " +
                                            std::to_string(samples.size())};
    }
    means.push_back(mean(samples));
    reciprocals.add(1 / detail::count_of(samples));
  }
  VarianceComponents result;
  result.trials = trials.size();
  result.samples = static_cast<double>(trials.size()) / reciprocals.value();
  result.within_trial = std::pow(*pooled_standard_deviation(trials), 2);
  result.of_trial_means = std::pow(*standard_deviation(means), 2);
  result.between_trials =
      std::max(0.0, result.of_trial_means - result.within_trial / result.samples);
  return result;
}

Reading<SamplesAdvice> samples_per_trial(const Reading<VarianceComponents>& components,
                                         double trial_cost, double sample_cost, std::size_t least,
                                         std::size_t most) {
  ASSAY_EXPECTS(std::isfinite(trial_cost) && trial_cost > 0);
  ASSAY_EXPECTS(std::isfinite(sample_cost) && sample_cost > 0);
  ASSAY_EXPECTS(least >= 1 && least <= most);
  if (!components) return components.missing();
  if (components->trials < kLeastTrialsForComponents) {
    return Missing{"too-few-trials", "the scatter between trials is known well enough from " +
                                         std::to_string(kLeastTrialsForComponents) +
                                         " trials on, there are " +
                                         std::to_string(components->trials)};
  }
  const double best = std::ceil(std::sqrt(trial_cost / sample_cost * components->within_trial) /
                                std::sqrt(components->between_trials));
  // Also where both components are 0 and the quotient is no number.
  if (!(best <= static_cast<double>(most))) return SamplesAdvice{most, true};
  return SamplesAdvice{std::max(least, static_cast<std::size_t>(best)), false};
}

}  // namespace assay::stats
