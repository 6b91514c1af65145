// SPDX-License-Identifier: MIT
//
// Joining neighbouring segments whose levels differ too little. Internal to stats.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace assay::stats::detail {

// begins: where each segment begins, and the end of the last. level(i): of the segment between
// begins[i] and begins[i + 1]. The two neighbours whose levels are closest become one, again and
// again, while is_same(difference) holds for them.
template <typename Level, typename IsSame>
void merge_levels(std::vector<std::size_t>& begins, Level level, IsSame is_same) {
  while (begins.size() > 2) {
    std::size_t closest = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < begins.size(); ++i) {
      const double difference = std::abs(level(i) - level(i - 1));
      if (difference < least) {
        least = difference;
        closest = i;
      }
    }
    if (!is_same(least)) break;
    begins.erase(begins.begin() + static_cast<std::ptrdiff_t>(closest));
  }
}

}  // namespace assay::stats::detail
