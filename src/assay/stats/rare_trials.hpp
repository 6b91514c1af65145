// SPDX-License-Identifier: MIT
//
// Room for rare slow trials in an interval of a mean.
//
// If a share p of the trials is slow, J trials contain none of them with probability
// (1 − p)^J ≤ e^(−pJ): a share of ln(1/α)/J can stay unseen at level α. An interval is therefore
// wider by that share of kUnseenTrialSds standard deviations, on both sides. The number is set by
// simulation: with it, slow trials of one subject (10 % of them, six SD) make the chance of any
// wrong verdict at most 5 % for 1 to 24 primaries, where Student's interval alone is wrong in 13 to
// 48 % of experiments (docs/explanation/statistics.md).
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {

// How far an unseen share of slow trials may lie off, in SDs of the values.
inline constexpr double kUnseenTrialSds = 1.5;

// What rare slow trials may add to the half-width of an interval of the mean of `count` values at
// level alpha in (0, 1).
double rare_trials_half_width(double standard_deviation, std::size_t count, double alpha);

// t_interval with that room: for whatever stops a measurement or is claimed of it. Missing as
// t_interval.
Reading<Interval> interval_with_room(std::span<const double> values, double confidence_level,
                                     double half_width_floor = 0);

}  // namespace assay::stats
