// SPDX-License-Identifier: MIT
//
// What is added to the mean square before the root is taken, part of the function's definition.
#pragma once

namespace add_rmsnorm {

constexpr float epsilon = 1e-6F;

}  // namespace add_rmsnorm
