// SPDX-License-Identifier: MIT
//
// Many looks and many comparisons: what keeps the chance of any wrong statement where it was
// promised.
//
// Comparisons that a prediction names share α by Bonferroni, over looks and over themselves: few,
// and each must stand alone. All others are screened: Benjamini–Hochberg bounds the expected share
// of wrong ones among those selected, and their intervals are widened for having been selected.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::stats {

// Level of one interval of one primary comparison at one look: α/(primaries·looks). For the others
// pass 1 primary.
double level_per_look(double alpha, std::size_t looks, std::size_t primaries = 1);

// Adjusted p-values in the order given (Benjamini & Hochberg, JRSS B 57, 1995; R's p.adjust "BH"):
// select those at or below q.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

// Confidence level of the intervals of the `selected` out of `compared`: 1 − selected·q/compared
// (Benjamini & Yekutieli, JASA 100, 2005). 1 ≤ selected ≤ compared.
double selected_confidence_level(std::size_t selected, std::size_t compared, double q);

// p-value of a hypothesis tested at several of `looks` planned looks: min(1, looks·min p), valid
// whatever the dependence between looks. At least one p.
double repeated_p(std::span<const double> p_at_looks, std::size_t looks);

}  // namespace assay::stats
