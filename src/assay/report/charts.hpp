// SPDX-License-Identifier: MIT
//
// Charts as inline SVG: small multiples, one lane a subject with its name beside it, so that no
// colour carries a meaning and a fast subject is not flattened by a slow one's scale. Why not a
// charting library: docs/explanation/charts.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::report {

struct Lane {
  std::string label;
  std::vector<double> values;
  std::vector<std::size_t> breaks;  // indices at which another trial begins
};

// Times of one call in ns in time order, from left to right; each lane has its own scale. What lies
// far outside the bulk is drawn at the edge of the lane and counted beside it. At most
// `points_per_lane` points a lane: above that, of each run of samples the lowest and the highest,
// and the description says so.
std::string time_order_chart(const std::string& title, const std::vector<Lane>& lanes,
                             std::size_t points_per_lane);

// Histograms of the same times, each lane on its own scale.
std::string distribution_chart(const std::string& title, const std::vector<Lane>& lanes);

// One mark a trial on a common scale: its ratio to the baseline. Lines: 1 and the margin, 1 ± θ.
std::string ratio_chart(const std::string& title, const std::vector<Lane>& lanes, double margin);

}  // namespace assay::report
