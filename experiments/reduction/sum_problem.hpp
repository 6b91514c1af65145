// SPDX-License-Identifier: MIT
//
// The sum of n floats as a problem: inputs, reference, tolerance and work. Shared by the programs
// that compute it on different devices, so that right means the same for all of them.
#pragma once

#include <assay/assay.hpp>
#include <cstdint>

namespace reduction {

// The value of the axis "n".
std::int64_t axis_n(const assay::Case& c);

// Everything but the axes and the subjects. `length` gives the number of floats of a case.
void declare_sum(assay::Problem& problem, std::int64_t (*length)(const assay::Case&) = axis_n);

}  // namespace reduction
