// SPDX-License-Identifier: MIT
//
// A second opinion on the centre of the differences, by ranks: the signed-rank test and the
// interval that belongs to the Hodges–Lehmann estimate.
//
// The verdict rests on the t interval of the mean. Ranks answer nearly the same question with
// other weaknesses: a few far trials hardly move them, and they need symmetry instead of a finite
// variance. Where the two disagree, the data are not what the interval takes them for; that is
// worth a finding, and changes no verdict. Wilcoxon, Biometrics Bulletin 1, 1945; the interval
// from order statistics of the Walsh averages: Hollander, Wolfe & Chicken, Nonparametric
// Statistical Methods, 3rd ed., §3.1 and §3.3.
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {

// Up to so many values the distribution of the rank sum is exact (SciPy's limit); the normal
// approximation is then within 1e-4.
inline constexpr std::size_t kExactSignedRank = 50;

struct SignedRank {
  double statistic = 0;    // sum of the ranks of those above the bound
  double p_two_sided = 1;  // that the centre of symmetry is the bound
  std::size_t count = 0;   // values that are not on the bound
  bool exact = true;
};

// finite values, any number. Those on the bound are left out (Wilcoxon 1945); with ties, or more
// than kExactSignedRank values, the normal approximation with the variance corrected for ties and
// half a rank for continuity. Missing for no value off the bound ("too-few-values") and when two or
// more all tie ("no-spread").
Reading<SignedRank> signed_rank(std::span<const double> values, double bound);

// Interval of the centre of symmetry at confidence_level in (0, 1): the order statistics of the
// Walsh averages whose signed-rank test does not reject. It covers at least as often as it says up
// to kExactSignedRank values. Missing ("too-few-values", with the number needed) where even the
// extreme averages cover less than that, as 1 − 2/2ⁿ; "no-spread" when all tie.
Reading<Interval> hodges_lehmann_interval(std::span<const double> values, double confidence_level);

}  // namespace assay::stats
