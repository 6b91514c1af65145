// SPDX-License-Identifier: MIT
//
// The ceilings of the processor that this process runs on, by Assay's own kernels.
#pragma once

#include "assay/base/ceilings.hpp"

namespace assay::probe {

// Takes about budget_s at most, and less where all rows are done before. Throws Error{device} where
// the cores cannot be used or a kernel's result is wrong.
MachineCeilings measure_ceilings(double budget_s);

}  // namespace assay::probe
