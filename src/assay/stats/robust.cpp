// SPDX-License-Identifier: MIT
#include "assay/stats/robust.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

double hodges_lehmann(std::span<const double> values) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  std::vector<double> pairs;
  pairs.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) {
      pairs.push_back(values[i] / 2 + values[j] / 2);
    }
  }
  const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
  std::nth_element(pairs.begin(), middle, pairs.end());
  if (pairs.size() % 2 == 1) return *middle;
  return (*std::max_element(pairs.begin(), middle) + *middle) / 2;
}

Reading<DoubleMad> double_mad(std::span<const double> values) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 2) {
    return Missing{"too-few-values", "needs at least 2 values to have two sides"};
  }
  const double centre = median(values);
  std::vector<double> below;
  std::vector<double> above;
  for (const double v : values) {
    if (v <= centre) below.push_back(centre - v);
    if (v >= centre) above.push_back(v - centre);
  }
  return DoubleMad{median(below), median(above)};
}

double harrell_davis(std::span<const double> values, double probability) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(probability > 0 && probability < 1);
  const auto sorted = detail::sorted(values);
  const double n = detail::count_of(values);
  const double a = probability * (n + 1);
  const double b = (1 - probability) * (n + 1);
  detail::Sum sum;
  double before = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double upto =
        i + 1 == sorted.size() ? 1.0 : boost::math::ibeta(a, b, static_cast<double>(i + 1) / n);
    sum.add((upto - before) * sorted[i]);
    before = upto;
  }
  return sum.value();
}

}  // namespace assay::stats
