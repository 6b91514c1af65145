// SPDX-License-Identifier: MIT
//
// Is the distribution of the differences lopsided?
//
// The error rate of the t interval holds for near-symmetric differences. When only one side has
// slow trials now and then, a small number of trials often contains none of them, and a real
// difference passes as "equivalent". So lopsided differences do not get that verdict.
//
// Null: symmetric about an unknown centre, any shape (heavy tails are common here and are not
// skewness). Statistic: the moment skewness |m3|/m2^1.5, because it reacts to a few far values on
// one side, which is the harm; robust measures (medcouple, the triples test) are made to overlook
// exactly those. Reference distribution: the signs of the distances from the centre are flipped,
// and mean and variance taken anew each time. The centre is the Hodges–Lehmann estimate: about the
// mean, the test is wrong 3–5 % of the time at 1 % under t₃ tails; about the median, up to 10 %
// with two modes. What it holds and finds is in docs/explanation/statistics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Random sign patterns when there are more than 16 values.
inline constexpr std::size_t kSkewnessFlips = 1999;

struct Skewness {
  double moment = 0;  // m3/m2^1.5; above 0: the long side is that of large values
  double p = 1;       // two-sided; above `enough`: at least this
};

// Missing below three values ("too-few-values") and when all tie ("no-spread"). For eight values p
// hardly ever falls below 0.01: so few can be checked for nothing. Those who only ask whether p is
// at most `enough` say so: most samples are not lopsided, which a few patterns show.
Reading<Skewness> skewness(std::span<const double> values, std::uint64_t seed, double enough = 1);

}  // namespace assay::stats
