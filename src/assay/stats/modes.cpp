// SPDX-License-Identifier: MIT
#include "assay/stats/modes.hpp"

#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"

namespace assay::stats {
namespace {

// Bins of equal shares between ascending borders.
class Histogram {
 public:
  explicit Histogram(std::vector<double> borders) : borders_(std::move(borders)) {
    // A bin without width would be infinitely high; so it is a thousandth of an even one.
    const double least = (borders_.back() - borders_.front()) / static_cast<double>(bins()) * 1e-3;
    for (std::size_t i = 0; i < bins(); ++i) {
      heights_.push_back(1 / std::max(borders_[i + 1] - borders_[i], least));
    }
  }

  std::size_t bins() const { return borders_.size() - 1; }
  double height(std::size_t bin) const { return heights_[bin]; }
  double left(std::size_t bin) const { return borders_[bin]; }
  double right(std::size_t bin) const { return borders_[bin + 1]; }

  std::vector<std::size_t> peaks() const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < bins(); ++i) {
      const bool rises = i == 0 || heights_[i] > heights_[i - 1];
      const bool falls = i + 1 == bins() || heights_[i] >= heights_[i + 1];
      if (rises && falls) result.push_back(i);
    }
    return result;
  }

  // Whether what lies between two peaks, filled up to the lower one, is mostly empty.
  bool lowland_between(std::size_t a, std::size_t b, double sensitivity) const {
    const double surface = std::min(heights_[a], heights_[b]);
    while (a < b && heights_[a] > surface) ++a;
    while (a < b && heights_[b] > surface) --b;
    const double area = (borders_[b + 1] - borders_[a]) * surface;
    return static_cast<double>(b - a + 1) < sensitivity * area;
  }

  // The lowest bin strictly between two peaks; the second peak if there is none.
  std::size_t lowest_between(std::size_t a, std::size_t b) const {
    if (b - a < 2) return b;
    const auto first = heights_.begin() + static_cast<std::ptrdiff_t>(a) + 1;
    const auto last = heights_.begin() + static_cast<std::ptrdiff_t>(b);
    return static_cast<std::size_t>(std::min_element(first, last) - heights_.begin());
  }

 private:
  std::vector<double> borders_;
  std::vector<double> heights_;  // in shares of one bin
};

}  // namespace

std::vector<Mode> ModeFinder::operator()(std::span<const double> sorted_values,
                                         double sensitivity) {
  ASSAY_EXPECTS(!sorted_values.empty());
  ASSAY_EXPECTS(sensitivity > 0 && sensitivity < 1);
  ASSAY_EXPECTS(detail::all_finite(sorted_values));
  ASSAY_EXPECTS(std::is_sorted(sorted_values.begin(), sorted_values.end()));
  const double lowest = sorted_values.front();
  const double highest = sorted_values.back();
  if (lowest == highest) return {{lowest, lowest, highest, 1}};

  std::vector<double> thinned;
  if (sorted_values.size() > kMostValuesForModes) {
    for (std::size_t i = 0; i < kMostValuesForModes; ++i) {
      thinned.push_back(
          sorted_values[(2 * i + 1) * sorted_values.size() / (2 * kMostValuesForModes)]);
    }
    thinned.front() = lowest;
    thinned.back() = highest;
    sorted_values = thinned;
  }
  const auto weights =
      quantiles_.try_emplace(sorted_values.size(), sorted_values.size(), kModeBins);
  const Histogram histogram(weights.first->second(sorted_values));

  // Peaks that belong to the mode that is being walked through, the highest first; each later one
  // is lower than the one before it.
  std::vector<std::size_t> open;
  std::vector<std::size_t> tops;
  std::vector<std::size_t> cuts;  // the first bin of each further mode
  const auto split = [&](std::size_t peak) {
    if (!histogram.lowland_between(open.back(), peak, sensitivity)) return false;
    tops.push_back(open.front());
    cuts.push_back(histogram.lowest_between(open.back(), peak));
    open.clear();
    return true;
  };
  for (const std::size_t peak : histogram.peaks()) {
    while (!open.empty() && histogram.height(open.back()) < histogram.height(peak)) {
      if (!split(peak)) open.pop_back();
    }
    if (!open.empty()) split(peak);
    open.push_back(peak);
  }
  tops.push_back(open.front());

  std::vector<Mode> modes;
  std::size_t first = 0;
  for (std::size_t i = 0; i < tops.size(); ++i) {
    const std::size_t end = i < cuts.size() ? cuts[i] : histogram.bins();
    modes.push_back({.location = (histogram.left(tops[i]) + histogram.right(tops[i])) / 2,
                     .low = histogram.left(first),
                     .high = histogram.right(end - 1),
                     .share_frac = static_cast<double>(end - first) / kModeBins});
    first = end;
  }
  return modes;
}

}  // namespace assay::stats
