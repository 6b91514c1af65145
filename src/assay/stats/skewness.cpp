// SPDX-License-Identifier: MIT
#include "assay/stats/skewness.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/detail/signed_sums.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/robust.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {
namespace {

// Moment skewness from Σy, Σy² and Σy³; only the first and the last change when signs flip.
double moment_skewness(double sum, double squares, double cubes, double n) {
  const double mean = sum / n;
  const double variance = squares / n - mean * mean;
  const double third = cubes / n - 3 * mean * squares / n + 2 * mean * mean * mean;
  // Flipped until they tie: no skewness can be named, so let it count against rejection.
  if (variance <= 1e-12 * squares / n) return std::numeric_limits<double>::infinity();
  return third / (variance * std::sqrt(variance));
}

}  // namespace

Reading<Skewness> skewness(std::span<const double> values, std::uint64_t seed) {
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
  result.moment = moment_skewness(sum.value(), squares.value(), cube_sum.value(), n);
  const double observed = std::abs(result.moment) - 1e-9;

  const detail::SignedSums sums(distances);
  const detail::SignedSums sums_of_cubes(cubes);
  const auto reaches = [&](std::span<const std::uint64_t> pattern) {
    return std::abs(moment_skewness(sums(pattern), squares.value(), sums_of_cubes(pattern), n)) >=
           observed;
  };
  std::uint64_t hits = 0;
  if (distances.size() <= detail::kEnumerateUpTo) {
    const std::uint64_t patterns = std::uint64_t{1} << (distances.size() - 1);
    for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
      if (reaches(std::span(&pattern, 1))) ++hits;
    }
    result.p = static_cast<double>(hits) / static_cast<double>(patterns);
    return result;
  }
  std::vector<std::uint64_t> pattern(sums.words());
  for (std::size_t flip = 0; flip < kSkewnessFlips; ++flip) {
    detail::draw_signs(pattern, seed, flip);
    if (reaches(pattern)) ++hits;
  }
  result.p = (1 + static_cast<double>(hits)) / (1 + static_cast<double>(kSkewnessFlips));
  return result;
}

}  // namespace assay::stats
