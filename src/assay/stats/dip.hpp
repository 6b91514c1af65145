// SPDX-License-Identifier: MIT
//
// Does a sample have more than one mode? Hartigan's dip test.
//
// The dip is the least distance (largest vertical difference) between the empirical distribution
// function and any unimodal one: Hartigan & Hartigan, "The dip test of unimodality", Annals of
// Statistics 13, 1985. It needs no bandwidth and no number of modes, and a long tail is no mode to
// it. The reference distribution is the uniform one, to which the dip converges most slowly, so for
// bell-shaped samples the test is on the safe side: of those it flags hardly any. The price is
// power: 1,000 samples show two modes four SD apart, 200 hardly do, and a small mode stays unseen.
//
// Two clumps that only come from a timer's steps are modes to the dip as well: see modality.hpp.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

// In [1/(2n), 1/4]. values: sorted, finite, at least one.
double dip(std::span<const double> sorted_values);

// The p-values that dip_p_value can name; what lies beyond is this value, and means "at most".
inline constexpr double kLeastDipP = 0.001;
inline constexpr std::size_t kLeastDipCount = 4;

// The share of uniform samples of that size whose dip is at least so large: from quantiles of
// sqrt(n)·dip that tests/stats/simulate.cpp printed, linear in log n and in p between them; above
// the largest n of the table its last column, since sqrt(n)·dip has a limit. count:
// kLeastDipCount or more.
double dip_p_value(double dip, std::size_t count);

}  // namespace assay::stats
