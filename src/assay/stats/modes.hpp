// SPDX-License-Identifier: MIT
//
// Where the modes of a sample lie.
//
// A histogram whose bins hold equal shares instead of having equal widths (its borders are
// Harrell–Davis quantiles) needs no bin width to be chosen and keeps its resolution where the
// values are. Between two of its peaks lies a lowland: filled with water up to the lower peak, it
// separates two modes when the bins under water fill less than `kLowlandSensitivity` of the area up
// to the surface (A. Akinshin, "Lowland multimodality detection", 2020; the sensitivity and the
// precision of 1 % are his). Other than there the first and the last bin may be a peak: times have
// a hard floor and often crowd at it.
//
// This places modes; whether there are several at all is the dip test's question (dip.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "assay/stats/robust.hpp"

namespace assay::stats {

inline constexpr double kLowlandSensitivity = 0.5;
inline constexpr std::size_t kModeBins = 100;
// More values are thinned to so many evenly spaced order statistics: a bin is 1 % of them.
inline constexpr std::size_t kMostValuesForModes = 1024;

struct Mode {
  double location = 0;  // middle of its highest bin
  double low = 0;       // its range: up to the lowest place between it and the next mode
  double high = 0;
  double share_frac = 0;  // of the values
};

class ModeFinder {
 public:
  // At least one mode, ascending; shares sum to 1. sorted_values: finite, at least one. The result
  // depends on the values alone: what is kept from call to call are weights that follow from their
  // number. A higher sensitivity lets shallower lowlands separate.
  std::vector<Mode> operator()(std::span<const double> sorted_values,
                               double sensitivity = kLowlandSensitivity);

 private:
  std::map<std::size_t, EvenQuantiles> quantiles_;  // by number of values
};

}  // namespace assay::stats
