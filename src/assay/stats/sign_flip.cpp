// SPDX-License-Identifier: MIT
#include "assay/stats/sign_flip.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/signed_sums.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"

namespace assay::stats {

double smallest_sign_flip_p(std::size_t count) {
  ASSAY_EXPECTS(count >= 1);
  return count <= detail::kEnumerateUpTo ? std::ldexp(2.0, -static_cast<int>(count))
                                         : 1.0 / (1.0 + static_cast<double>(kRandomFlips));
}

SignFlip sign_flip(std::span<const double> values, double bound, std::uint64_t seed) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(std::isfinite(bound));

  std::vector<double> shifted = detail::sorted(values);
  double magnitude = 0;
  detail::Sum total;
  for (double& v : shifted) {
    v -= bound;
    magnitude += std::abs(v);
    total.add(v);
  }
  // Patterns that tie with the observed one in exact arithmetic must count as ties.
  const double observed = std::abs(total.value()) - 1e-12 * magnitude;

  const detail::SignedSums sums(shifted);
  SignFlip result{.above_bound = total.value() > 0};
  if (shifted.size() <= detail::kEnumerateUpTo) {
    const std::uint64_t patterns = detail::patterns_of(shifted.size());
    detail::SumsOfPatterns of_patterns{};
    std::uint64_t hits = 0;
    for (std::uint64_t first = 0; first < patterns; first += detail::kPatternsAtOnce) {
      sums.of_patterns(first, of_patterns);
      const auto count = std::min<std::uint64_t>(patterns, detail::kPatternsAtOnce);
      for (std::size_t i = 0; i < count; ++i)
        hits += std::abs(of_patterns[i]) >= observed ? 1U : 0U;
    }
    result.p_two_sided = static_cast<double>(hits) / static_cast<double>(patterns);
    return result;
  }

  result.exact = false;
  std::vector<std::uint64_t> pattern(sums.words());
  std::size_t hits = 0;
  for (std::size_t flip = 0; flip < kRandomFlips; ++flip) {
    detail::draw_signs(pattern, seed, flip);
    if (std::abs(sums(pattern)) >= observed) ++hits;
  }
  result.p_two_sided = (1 + static_cast<double>(hits)) / (1 + static_cast<double>(kRandomFlips));
  return result;
}

}  // namespace assay::stats
