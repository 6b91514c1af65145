// SPDX-License-Identifier: MIT
#include "assay/stats/suite.hpp"

#include <algorithm>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/rare_trials.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

Reading<SuiteMean> suite_mean(std::span<const std::vector<double>> differences,
                              double confidence_level, double half_width_floor) {
  ASSAY_EXPECTS(!differences.empty());
  const std::size_t trials = differences[0].size();
  ASSAY_EXPECTS(std::all_of(differences.begin(), differences.end(),
                            [&](const auto& cell) { return cell.size() == trials; }));
  if (trials < 2) {
    return Missing{"too-few-trials", "needs at least 2 trials that count in every cell, has " +
                                         std::to_string(trials)};
  }
  std::vector<double> means;
  std::vector<double> of_trial(differences.size());
  for (std::size_t j = 0; j < trials; ++j) {
    for (std::size_t i = 0; i < differences.size(); ++i) of_trial[i] = differences[i][j];
    means.push_back(mean(of_trial));
  }
  return interval_with_room(means, confidence_level, half_width_floor)
      .transform([&](const Interval& interval) {
        return SuiteMean{mean(means), interval, trials, differences.size()};
      });
}

}  // namespace assay::stats
