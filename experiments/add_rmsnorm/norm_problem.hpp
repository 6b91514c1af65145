// SPDX-License-Identifier: MIT
//
// Residual addition and RMS normalisation as a problem: tensors, reference, tolerance and work.
// Shared by the programs that compute it on different devices, so that right means the same for all
// of them.
#pragma once

#include <assay/assay.hpp>

namespace add_rmsnorm {

// Everything but the axes "dtype", "rows" and "cols", the work and the subjects. with_sum: the sum
// x + r is an output too, "s", as the next block's residual.
void declare_add_rmsnorm(assay::Problem& problem, bool with_sum);

// Work of one call in which `read` and `written` whole matrices are moved.
assay::WorkModel moving(double read, double written);

}  // namespace add_rmsnorm
