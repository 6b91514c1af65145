// SPDX-License-Identifier: MIT
#include "assay/stats/rare_trials.hpp"

#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

double rare_trials_half_width(double standard_deviation, std::size_t count, double alpha) {
  ASSAY_EXPECTS(count >= 1 && alpha > 0 && alpha < 1);
  return -std::log(alpha) * kUnseenTrialSds * standard_deviation / static_cast<double>(count);
}

Reading<Interval> interval_with_room(std::span<const double> values, double confidence_level,
                                     double half_width_floor) {
  return t_interval(values, confidence_level, half_width_floor)
      .transform([&](const Interval& interval) {
        const double room = rare_trials_half_width(*standard_deviation(values), values.size(),
                                                   1 - confidence_level);
        return Interval{interval.low - room, interval.high + room};
      });
}

}  // namespace assay::stats
