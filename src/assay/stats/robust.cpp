// SPDX-License-Identifier: MIT
#include "assay/stats/robust.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/detail/walsh.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {

double hodges_lehmann(std::span<const double> values) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  const auto sorted = detail::sorted(values);
  const std::size_t count = detail::walsh_count(values.size());
  const double middle = detail::walsh_average(sorted, count / 2);
  if (count % 2 == 1) return middle;
  return (detail::walsh_average(sorted, count / 2 - 1) + middle) / 2;
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

EvenQuantiles::EvenQuantiles(std::size_t count, std::size_t parts) : count_(count) {
  ASSAY_EXPECTS(count > 0 && parts > 0);
  constexpr double kLeftOut = 1e-8;
  const double n = static_cast<double>(count);
  for (std::size_t part = 1; part < parts; ++part) {
    const double probability = static_cast<double>(part) / static_cast<double>(parts);
    const double a = probability * (n + 1);
    const double b = (1 - probability) * (n + 1);
    const auto upto = [&](std::size_t rank) {
      return rank == 0       ? 0.0
             : rank == count ? 1.0
                             : boost::math::ibeta(a, b, static_cast<double>(rank) / n);
    };
    // From the middle outwards: what lies further out than the normal tails weighs nothing.
    const auto middle = static_cast<std::size_t>(probability * n);
    std::vector<double> below;  // the distribution at middle, middle − 1, …
    std::size_t first = middle;
    below.push_back(upto(first));
    while (first > 0 && below.back() > kLeftOut) below.push_back(upto(--first));
    Weights of_part{.first = first, .weights = {}};
    for (std::size_t i = below.size() - 1; i > 0; --i) {
      of_part.weights.push_back(below[i - 1] - below[i]);
    }
    double before = below.front();
    for (std::size_t rank = middle + 1; rank <= count && before < 1 - kLeftOut; ++rank) {
      const double here = upto(rank);
      of_part.weights.push_back(here - before);
      before = here;
    }
    detail::Sum total;
    for (const double weight : of_part.weights) total.add(weight);
    for (double& weight : of_part.weights) weight /= total.value();
    inner_.push_back(std::move(of_part));
  }
}

std::vector<double> EvenQuantiles::operator()(std::span<const double> sorted_values) const {
  ASSAY_EXPECTS(sorted_values.size() == count_);
  std::vector<double> quantiles{sorted_values.front()};
  for (const Weights& of_part : inner_) {
    detail::Sum sum;
    for (std::size_t i = 0; i < of_part.weights.size(); ++i) {
      sum.add(of_part.weights[i] * sorted_values[of_part.first + i]);
    }
    // Rounding may undo the order of quantiles that tie.
    quantiles.push_back(std::max(quantiles.back(), sum.value()));
  }
  quantiles.push_back(std::max(quantiles.back(), sorted_values.back()));
  return quantiles;
}

}  // namespace assay::stats
