// SPDX-License-Identifier: MIT
//
// Order statistics of the Walsh averages (v_i + v_j)/2, i ≤ j, of n values, without making the
// n(n+1)/2 of them. In sorted order they rise along rows and columns, rounding included, so how
// many are at most t is counted along one staircase in n steps; the k-th of them is found by
// halving the range of the numbers that a double can hold. At most 64 counts, no further memory,
// and the same number as sorting all of them gives.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats::detail {

// n(n+1)/2.
std::size_t walsh_count(std::size_t values);

// The k-th smallest average, from 0. sorted: finite, ascending; k < walsh_count(sorted.size()).
double walsh_average(std::span<const double> sorted, std::size_t k);

}  // namespace assay::stats::detail
