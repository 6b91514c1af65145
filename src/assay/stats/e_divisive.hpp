// SPDX-License-Identifier: MIT
//
// Change points in a history: one value a record, over months. They nominate, and never convict.
//
// E-divisive (Matteson & James, "A nonparametric approach for multiple change point analysis of
// multivariate data", JASA 109, 2014) looks for the split of a segment whose two sides differ most
// in the energy statistic
//
//   Q(τ, κ) = mk/(m+k) · [ (2/mk)·Σ|x−y| − (2/m(m−1))·Σ|x−x'| − (2/k(k−1))·Σ|y−y'| ],
//
// x the m values up to τ, y the k values from τ to κ (so that a later change back does not hide
// this one), and goes on in both parts. Which splits count is decided by Student's t of the two
// sides (pooled variance, n − 1), as histories of performance do today, and not by permutations:
// the answer must not depend on a seed.
//
// That p is NOT an error rate. The split was chosen because the sides differ, many splits were
// tried, and values of neighbouring records resemble each other; of series without any change the
// usual p ≤ 0.001 marks up to 85 % (docs/explanation/statistics.md, "History"). Hence 1e-5, and
// hence the rule: a point found here is a reason to measure old against new again, paired and
// judged by its own plan. It is no evidence of a regression, and nothing may cite it as such.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::stats {

inline constexpr double kNominationP = 1e-5;
inline constexpr std::size_t kLeastHistorySegment = 3;

struct Nomination {
  std::size_t index = 0;  // the value with which the later part begins
  double before = 0;      // mean of the part before, up to the neighbouring nomination
  double after = 0;
  double p = 1;  // of the t test between the two parts; see above for what it is not
};

// Ascending by index. values in time order, finite (logarithms of times, normalised by the
// caller); any number of them. most_p in (0, 1). Time is quadratic in the number of values, memory
// linear. Deterministic.
std::vector<Nomination> e_divisive(std::span<const double> values, double most_p = kNominationP);

}  // namespace assay::stats
