// SPDX-License-Identifier: MIT
#include "assay/stats/multiplicity.hpp"

#include <algorithm>
#include <numeric>

#include "assay/base/error.hpp"

namespace assay::stats {
namespace {

bool all_probabilities(std::span<const double> p_values) {
  return std::all_of(p_values.begin(), p_values.end(), [](double p) { return p >= 0 && p <= 1; });
}

}  // namespace

double level_per_look(double alpha, std::size_t looks, std::size_t primaries) {
  ASSAY_EXPECTS(alpha > 0 && alpha < 1);
  ASSAY_EXPECTS(looks >= 1 && primaries >= 1);
  return alpha / (static_cast<double>(looks) * static_cast<double>(primaries));
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  ASSAY_EXPECTS(all_probabilities(p_values));
  const std::size_t count = p_values.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> adjusted(count);
  double smallest = 1;
  for (std::size_t i = 0; i < count; ++i) {
    // The factor first: it is exactly 1 for the largest, which then keeps its value.
    const double factor = static_cast<double>(count) / static_cast<double>(count - i);
    smallest = std::min(smallest, factor * p_values[order[i]]);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

double selected_confidence_level(std::size_t selected, std::size_t compared, double q) {
  ASSAY_EXPECTS(selected >= 1 && selected <= compared);
  ASSAY_EXPECTS(q > 0 && q < 1);
  return 1 - static_cast<double>(selected) * q / static_cast<double>(compared);
}

double repeated_p(std::span<const double> p_at_looks, std::size_t looks) {
  ASSAY_EXPECTS(!p_at_looks.empty() && p_at_looks.size() <= looks);
  ASSAY_EXPECTS(all_probabilities(p_at_looks));
  return std::min(
      1.0, static_cast<double>(looks) * *std::min_element(p_at_looks.begin(), p_at_looks.end()));
}

}  // namespace assay::stats
