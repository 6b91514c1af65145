// SPDX-License-Identifier: MIT
//
// Ascending order of numbers. Judging sorts every sample several times, and comparing them one by
// one was a third of its time: many are sorted by the digits of their representation instead, which
// takes time in proportion to their number.
#pragma once

#include <span>
#include <vector>

namespace assay::stats::detail {

// values: none is NaN.
void sort(std::span<double> values);

std::vector<double> sorted(std::span<const double> values);

}  // namespace assay::stats::detail
