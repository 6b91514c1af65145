// SPDX-License-Identifier: MIT
#include "assay/stats/skewness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/signed_sums.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/robust.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {
namespace {

// Moments about the mean from Σy, Σy² and Σy³; only the first and the last change when signs flip.
class FlippedMoments {
 public:
  FlippedMoments(double squares, double n) : second_(squares / n), n_(n) {}

  double skewness(double sum, double cubes) const {
    const double variance = variance_of(sum / n_);
    return third_of(sum / n_, cubes) / (variance * std::sqrt(variance));
  }

  // Whether |skewness| is at least √limit; without root and division, which are most of the time.
  bool reaches(double sum, double cubes, double limit) const {
    const double mean = sum / n_;
    const double variance = variance_of(mean);
    const double third = third_of(mean, cubes);
    // Flipped until they tie: no skewness can be named, so let it count against rejection.
    const bool ties = variance <= 1e-12 * second_;
    return third * third >= (ties ? 0 : limit * (variance * variance * variance));
  }

 private:
  double variance_of(double mean) const { return second_ - mean * mean; }
  double third_of(double mean, double cubes) const {
    return cubes / n_ - 3 * mean * second_ + 2 * mean * mean * mean;
  }

  double second_;
  double n_;
};

}  // namespace

Reading<Skewness> skewness(std::span<const double> values, std::uint64_t seed, double enough) {
  ASSAY_EXPECTS(detail::all_finite(values));
  if (values.size() < 3) return Missing{"too-few-values", "skewness needs at least 3 values"};
  if (has_no_spread(values)) return Missing{"no-spread", "all values tie"};

  std::vector<double> distances = detail::sorted(values);
  const double centre = hodges_lehmann(distances);
  // In units of the largest distance, so that cubes neither vanish nor overflow.
  const double unit =
      std::max(std::abs(distances.front() - centre), std::abs(distances.back() - centre));
  std::vector<double> cubes(distances.size());
  detail::Sum sum;
  detail::Sum squares;
  detail::Sum cube_sum;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    distances[i] = (distances[i] - centre) / unit;
    cubes[i] = distances[i] * distances[i] * distances[i];
    sum.add(distances[i]);
    squares.add(distances[i] * distances[i]);
    cube_sum.add(cubes[i]);
  }
  const double n = detail::count_of(values);
  Skewness result;
  const FlippedMoments moments(squares.value(), n);
  result.moment = moments.skewness(sum.value(), cube_sum.value());
  // Patterns that tie with the observed one in exact arithmetic must count as ties.
  const double observed = std::max(std::abs(result.moment) - 1e-9, 0.0);
  const double limit = observed * observed;

  const detail::SignedSums sums(distances);
  const detail::SignedSums sums_of_cubes(cubes);
  std::uint64_t hits = 0;
  if (distances.size() <= detail::kEnumerateUpTo) {
    const std::uint64_t patterns = detail::patterns_of(distances.size());
    detail::SumsOfPatterns of_patterns{};
    detail::SumsOfPatterns cubes_of_patterns{};
    for (std::uint64_t first = 0; first < patterns; first += detail::kPatternsAtOnce) {
      sums.of_patterns(first, of_patterns);
      sums_of_cubes.of_patterns(first, cubes_of_patterns);
      const auto count = std::min<std::uint64_t>(patterns, detail::kPatternsAtOnce);
      for (std::size_t i = 0; i < count; ++i) {
        hits += moments.reaches(of_patterns[i], cubes_of_patterns[i], limit) ? 1U : 0U;
      }
      result.p = static_cast<double>(hits) / static_cast<double>(patterns);
      if (result.p > enough) break;
    }
    return result;
  }
  std::vector<std::uint64_t> pattern(sums.words());
  const auto p_of = [](std::uint64_t count) {
    return (1 + static_cast<double>(count)) / (1 + static_cast<double>(kSkewnessFlips));
  };
  for (std::size_t flip = 0; flip < kSkewnessFlips && p_of(hits) <= enough; ++flip) {
    detail::draw_signs(pattern, seed, flip);
    if (moments.reaches(sums(pattern), sums_of_cubes(pattern), limit)) ++hits;
  }
  result.p = p_of(hits);
  return result;
}

}  // namespace assay::stats
