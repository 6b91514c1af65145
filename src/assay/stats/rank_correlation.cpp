// SPDX-License-Identifier: MIT
#include "assay/stats/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "assay/stats/student.hpp"

namespace assay::stats {
namespace {

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      ranks[order[i]] = static_cast<double>(first + last) / 2;
    }
    first = last + 1;
  }
  return ranks;
}

}  // namespace

Reading<RankCorrelation> rank_correlation(std::span<const double> x, std::span<const double> y) {
  ASSAY_EXPECTS(x.size() == y.size());
  if (x.size() < 4) {
    return Missing{"insufficient", "needs 4 values, has " + std::to_string(x.size())};
  }
  const std::vector<double> of_x = ranks_of(x);
  const std::vector<double> of_y = ranks_of(y);
  const double middle = static_cast<double>(x.size() - 1) / 2;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < of_x.size(); ++i) {
    xx += (of_x[i] - middle) * (of_x[i] - middle);
    yy += (of_y[i] - middle) * (of_y[i] - middle);
    xy += (of_x[i] - middle) * (of_y[i] - middle);
  }
  if (xx == 0 || yy == 0) return Missing{"no-spread", "all values of a side tie"};
  RankCorrelation result;
  result.rho = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
  const double degrees = static_cast<double>(x.size()) - 2;
  const double rest = 1 - result.rho * result.rho;
  result.p_two_sided =
      rest <= 0 ? 0 : 2 * t_cdf(-std::abs(result.rho) * std::sqrt(degrees / rest), degrees);
  return result;
}

}  // namespace assay::stats
