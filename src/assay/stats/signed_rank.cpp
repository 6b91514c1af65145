// SPDX-License-Identifier: MIT
#include "assay/stats/signed_rank.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/detail/walsh.hpp"

namespace assay::stats {
namespace {

// P(rank sum = s) for s = 0 … n(n+1)/2 when every sign is a fair coin: rank by rank.
std::vector<double> rank_sum_distribution(std::size_t count) {
  std::vector<double> p(count * (count + 1) / 2 + 1, 0.0);
  p[0] = 1;
  std::size_t highest = 0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    highest += rank;
    for (std::size_t s = highest + 1; s-- > 0;) {
      p[s] = (p[s] + (s >= rank ? p[s - rank] : 0)) / 2;
    }
  }
  return p;
}

double lower_tail(const std::vector<double>& p, std::size_t upto) {
  detail::Sum sum;
  for (std::size_t s = 0; s <= upto; ++s) sum.add(p[s]);
  return sum.value();
}

double rank_sum_sd(double n) { return std::sqrt(n * (n + 1) * (2 * n + 1) / 24); }

// How many Walsh averages to pass over at each end; nothing if none can be.
std::size_t averages_cut(std::size_t count, double alpha) {
  if (count <= kExactSignedRank) {
    const auto p = rank_sum_distribution(count);
    std::size_t cut = 0;
    double tail = 0;
    // The slack admits a tail that equals α/2 but for rounding: 2/2⁸ at α = 2/2⁸.
    while (cut < p.size() && (tail += p[cut]) <= alpha / 2 * (1 + 1e-12)) ++cut;
    return cut;
  }
  const double n = static_cast<double>(count);
  const double z = std::numbers::sqrt2 * boost::math::erfc_inv(alpha);
  return static_cast<std::size_t>(std::max(0.0, std::floor(n * (n + 1) / 4 - z * rank_sum_sd(n))));
}

}  // namespace

Reading<SignedRank> signed_rank(std::span<const double> values, double bound) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(std::isfinite(bound));
  std::vector<double> off;
  for (const double v : values) {
    if (v != bound) off.push_back(v - bound);
  }
  if (off.empty()) return Missing{"too-few-values", "no value lies off the bound"};
  if (values.size() >= 2 && has_no_spread(values)) return no_spread(values.size());

  std::sort(off.begin(), off.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRank result{.count = off.size()};
  double tie_term = 0;
  for (std::size_t first = 0; first < off.size();) {
    std::size_t end = first + 1;
    while (end < off.size() && std::abs(off[end]) == std::abs(off[first])) ++end;
    const double tied = static_cast<double>(end - first);
    const double rank = (static_cast<double>(first + end) + 1) / 2;
    for (std::size_t i = first; i < end; ++i) result.statistic += off[i] > 0 ? rank : 0;
    tie_term += tied * tied * tied - tied;
    first = end;
  }
  const double n = detail::count_of(off);
  const double expected = n * (n + 1) / 4;
  result.exact = tie_term == 0 && off.size() <= kExactSignedRank;
  if (result.exact) {
    const double smaller = std::min(result.statistic, 2 * expected - result.statistic);
    const auto p = rank_sum_distribution(off.size());
    result.p_two_sided = std::min(1.0, 2 * lower_tail(p, static_cast<std::size_t>(smaller)));
  } else {
    const double sd = std::sqrt(n * (n + 1) * (2 * n + 1) / 24 - tie_term / 48);
    const double distance = std::max(0.0, std::abs(result.statistic - expected) - 0.5);
    result.p_two_sided = std::erfc(distance / sd / std::numbers::sqrt2);
  }
  return result;
}

Reading<Interval> hodges_lehmann_interval(std::span<const double> values, double confidence_level) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  const std::size_t count = values.size();
  const double alpha = 1 - confidence_level;
  const std::size_t cut = count == 0 ? 0 : averages_cut(count, alpha);
  if (cut == 0) {
    return Missing{"too-few-values",
                   "an interval by ranks at this level needs at least " +
                       std::to_string(static_cast<long>(std::ceil(1 - std::log2(alpha) - 1e-9))) +
                       " values, has " + std::to_string(count)};
  }
  if (count >= 2 && has_no_spread(values)) return no_spread(count);
  const auto sorted = detail::sorted(values);
  const std::size_t last = detail::walsh_count(count) - 1;
  // A level below a half can ask for more than half of them at each end: then both ends meet.
  const std::size_t low = std::min(cut - 1, last / 2);
  return Interval{detail::walsh_average(sorted, low), detail::walsh_average(sorted, last - low)};
}

}  // namespace assay::stats
