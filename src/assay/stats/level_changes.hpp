// SPDX-License-Identifier: MIT
//
// Where the level of a disturbance changes: the load that others put on a machine, in time order.
//
// Loads are not times of a kernel: they come in bursts, resemble their neighbours, and a change
// matters only by how much. So the segmentation is that of change_points.hpp, but its penalty is
// multiplied by the autocorrelation time, and a segment's level is its median: a burst within it
// moves that little. The lag-1 autocorrelation comes from the squared differences between
// neighbours and between next neighbours, each without its largest tenth, so that steps and bursts
// do not enter it: mean (x_t − x_(t−2))² ÷ mean (x_t − x_(t−1))² = 1 + ρ for an autoregressive
// series. With a penalty of 8·log n a change is found in at most 1 % of stationary series of 20 to
// 400 values (independent, autocorrelated up to 0.9, in bursts, with a long tail), and a step of
// ten standard deviations in nine of ten series of 40 values and all of 100:
// tests/stats/level_changes_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::stats {

inline constexpr std::size_t kLeastForLevels = 2 * 10;  // two segments of change_points.hpp
inline constexpr std::size_t kMostForLevels = 400;      // longer series are batched
inline constexpr double kLevelPenalty = 8;     // times log n, times the autocorrelation time
inline constexpr double kMostLevelLag1 = 0.9;  // what ρ is taken to be at most

struct LevelChange {
  std::size_t at = 0;  // the value with which the later level begins
  double before = 0;   // medians of the segments on either side
  double after = 0;
};
struct LevelChanges {
  std::size_t points = 0;  // that were looked at
  double lag1 = 0;         // the autocorrelation that the penalty is for
  std::vector<LevelChange> changes;
};

// values: finite, in time order. least_difference > 0: levels that differ by less are one, those
// that differ least first. least_sd > 0: what a value's own step makes of its spread. Missing
// ("insufficient") below kLeastForLevels values.
Reading<LevelChanges> level_changes(std::span<const double> values, double least_difference,
                                    double least_sd);

}  // namespace assay::stats
