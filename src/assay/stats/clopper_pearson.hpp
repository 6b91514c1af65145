// SPDX-License-Identifier: MIT
//
// Exact interval of a proportion: how often predictions held, how often a control was wrong.
//
// Clopper & Pearson, Biometrika 26, 1934: never covers less than it says, for any number of trials.
// The approximations that do better on average fail near 0 and 1, which is where these rates are.
#pragma once

#include <cstddef>

#include "assay/stats/student.hpp"

namespace assay::stats {

// successes ≤ trials, trials ≥ 1, confidence_level in (0, 1).
Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence_level);

}  // namespace assay::stats
