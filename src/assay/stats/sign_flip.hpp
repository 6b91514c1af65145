// SPDX-License-Identifier: MIT
//
// The sign-flip test: is the centre of these differences away from a bound?
//
// The order of baseline and candidate within a block is random. If they did not differ by more than
// the bound, each difference (minus the bound) could as well have come out with the other sign,
// whatever drift, shared interference or autocorrelation there was. So the p-value comes from the
// randomisation that the experiment itself made, not from a model of the disturbance; it stands
// guard over the t interval, which needs one. Fisher, The Design of Experiments, 1935, §21.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::stats {

// Random sign patterns when there are too many to visit all.
inline constexpr std::size_t kRandomFlips = 9999;

struct SignFlip {
  double p_two_sided = 1;    // share of patterns with |Σ| at least as large as observed
  bool exact = true;         // every pattern visited; otherwise (1 + hits)/(1 + kRandomFlips)
  bool above_bound = false;  // on which side of the bound the mean lies (false also on a tie)
};

// Tests the centre of symmetry `bound` for finite values, at least one. A claim that the mean is
// above (or below) needs the side as well as the p-value. Up to 16 values are enumerated; for more
// the patterns are drawn from the seed, on the sorted values, so that the order of the trials does
// not matter.
SignFlip sign_flip(std::span<const double> values, double bound, std::uint64_t seed);

// The smallest p that so many values can reach, 2/2^n while enumerated: a look whose level lies
// below it can never say anything, and a plan refuses it.
double smallest_sign_flip_p(std::size_t count);

}  // namespace assay::stats
