// SPDX-License-Identifier: MIT
#include "assay/stats/dip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/dip_quantiles.hpp"

namespace assay::stats {
namespace {

// Heights are counted in steps of 1/n: at value i the distribution function rises from i to i + 1,
// counted from 0. The minorant is drawn below the feet of the steps and the majorant above their
// heads, which differ by one; so a distance is that of two curves through the same points, plus 1.
// The largest one, halved, is n·dip.
class Dip {
 public:
  explicit Dip(std::span<const double> x) : x_(x), before_(x.size()), after_(x.size()) {
    const std::size_t n = x.size();
    for (std::size_t i = 1; i < n; ++i) {
      std::size_t k = i - 1;
      while (k > 0 && !is_steeper(k, i, before_[k], k)) k = before_[k];
      before_[i] = k;
    }
    after_[n - 1] = n - 1;
    for (std::size_t i = n - 1; i-- > 0;) {
      std::size_t k = i + 1;
      while (k + 1 < n && !is_steeper(i, k, k, after_[k])) k = after_[k];
      after_[i] = k;
    }
  }

  // Narrows the interval [low, high] that must hold the mode to the place where minorant and
  // majorant are furthest apart, until that is less than what the parts left behind need.
  double value() {
    std::size_t low = 0;
    std::size_t high = x_.size() - 1;
    double largest = 1;
    while (low < high) {
      draw(low, high);
      const Gap gap = widest_gap();
      if (gap.width < largest) break;
      largest = std::max({largest, above_minorant(gap.low), below_majorant(gap.high)});
      if (gap.low == low && gap.high == high) break;
      low = gap.low;
      high = gap.high;
    }
    return largest / (2 * static_cast<double>(x_.size()));
  }

 private:
  struct Gap {
    double width = 1;
    std::size_t low = 0;   // the corner of the minorant at or left of the place
    std::size_t high = 0;  // the corner of the majorant at or right of it
  };

  static double steps(std::size_t from, std::size_t to) { return static_cast<double>(to - from); }

  // Whether the line from a to b rises more steeply than the one from c to d.
  bool is_steeper(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
    return (x_[b] - x_[a]) * steps(c, d) < (x_[d] - x_[c]) * steps(a, b);
  }

  // Height above a, at value i, of the line from a to b. Where both tie it stands upright.
  double rise(std::size_t a, std::size_t b, std::size_t i) const {
    const double width = x_[b] - x_[a];
    return width > 0 ? steps(a, b) * ((x_[i] - x_[a]) / width) : steps(a, b);
  }

  // The corners of both curves between low and high, ascending, with these ends.
  void draw(std::size_t low, std::size_t high) {
    minorant_.clear();
    for (std::size_t i = high; i > low; i = before_[i]) minorant_.push_back(i);
    minorant_.push_back(low);
    std::reverse(minorant_.begin(), minorant_.end());
    majorant_.clear();
    for (std::size_t i = low; i < high; i = after_[i]) majorant_.push_back(i);
    majorant_.push_back(high);
  }

  // Between corners the distance is linear, so one of the corners has the largest.
  Gap widest_gap() const {
    Gap widest{.width = 1, .low = minorant_.front(), .high = majorant_.back()};
    const std::size_t end = minorant_.back();
    std::size_t g = 1;
    std::size_t l = 1;
    while (minorant_[g] != end || majorant_[l] != end) {
      Gap here;
      const std::size_t corner = std::min(minorant_[g], majorant_[l]);
      if (minorant_[g] > majorant_[l]) {
        here = {.width = steps(minorant_[g - 1], corner) + 1 -
                         rise(minorant_[g - 1], minorant_[g], corner),
                .low = minorant_[g - 1],
                .high = corner};
        ++l;
      } else {
        here = {.width = rise(majorant_[l - 1], majorant_[l], corner) + 1 -
                         steps(majorant_[l - 1], corner),
                .low = corner,
                .high = majorant_[l]};
        ++g;
      }
      if (here.width >= widest.width) widest = here;
    }
    return widest;
  }

  // The largest distance of the distribution function from the minorant, up to the corner `last`;
  // and from the majorant, from the corner `first` on.
  double above_minorant(std::size_t last) const {
    double largest = 1;
    for (std::size_t k = 1; k < minorant_.size() && minorant_[k] <= last; ++k) {
      const std::size_t a = minorant_[k - 1];
      for (std::size_t i = a + 1; i < minorant_[k]; ++i) {
        largest = std::max(largest, steps(a, i) + 1 - rise(a, minorant_[k], i));
      }
    }
    return largest;
  }
  double below_majorant(std::size_t first) const {
    double largest = 1;
    for (std::size_t k = majorant_.size() - 1; k > 0 && majorant_[k - 1] >= first; --k) {
      const std::size_t a = majorant_[k - 1];
      for (std::size_t i = a + 1; i < majorant_[k]; ++i) {
        largest = std::max(largest, rise(a, majorant_[k], i) + 1 - steps(a, i));
      }
    }
    return largest;
  }

  std::span<const double> x_;
  std::vector<std::size_t> before_;  // the minorant's corner before i, if i is its last
  std::vector<std::size_t> after_;   // the majorant's corner after i, if i is its first
  std::vector<std::size_t> minorant_;
  std::vector<std::size_t> majorant_;
};

// Interpolated between neighbours of an ascending list: index of the upper one, and its weight.
struct Between {
  std::size_t upper = 0;
  double weight = 1;
};

template <typename List>
Between between(const List& ascending, double value) {
  const auto found = std::lower_bound(ascending.begin(), ascending.end(), value);
  if (found == ascending.begin()) return {0, 1};
  if (found == ascending.end()) return {ascending.size() - 1, 1};
  const double low = *(found - 1);
  return {static_cast<std::size_t>(found - ascending.begin()), (value - low) / (*found - low)};
}

}  // namespace

double dip(std::span<const double> sorted_values) {
  ASSAY_EXPECTS(!sorted_values.empty());
  ASSAY_EXPECTS(std::isfinite(sorted_values.front()) && std::isfinite(sorted_values.back()));
  ASSAY_EXPECTS(std::is_sorted(sorted_values.begin(), sorted_values.end()));
  if (sorted_values.front() == sorted_values.back()) {
    return 1 / (2 * static_cast<double>(sorted_values.size()));
  }
  return Dip(sorted_values).value();
}

double dip_p_value(double dip, std::size_t count) {
  ASSAY_EXPECTS(count >= kLeastDipCount && dip > 0);
  const double n = static_cast<double>(count);
  // The least dip there is has a chance of its own, large for few values: none is smaller.
  if (dip <= (1 + 1e-9) / (2 * n)) return 1;
  const Between row = between(detail::kLogDipCounts, std::log(n));
  const auto& upper = detail::kDipQuantiles[row.upper];
  const auto& lower = detail::kDipQuantiles[row.upper == 0 ? 0 : row.upper - 1];
  std::array<double, detail::kDipProbabilities.size()> quantiles{};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    quantiles[i] = row.weight * upper[i] + (1 - row.weight) * lower[i];
  }
  const Between column = between(quantiles, std::sqrt(n) * dip);
  if (column.upper == 0) return 1;
  const auto& p = detail::kDipProbabilities;
  const double below = column.weight * p[column.upper] + (1 - column.weight) * p[column.upper - 1];
  // 1 − 0.999 is not quite 0.001.
  return below < p.back() ? 1 - below : kLeastDipP;
}

}  // namespace assay::stats
