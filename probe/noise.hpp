// SPDX-License-Identifier: MIT
//
// The kernels of the noise floor. They have to be ordinary: what disturbs them disturbs what a user
// measures. The sum streams its input from one level of the memory after another as it grows; the
// recurrence stays in registers, so only the core and its clock can move it. Both are written with
// the compiler's vectors of 16 bytes, which every 64-bit processor has, so that they take the same
// time whatever the build's optimisation makes of loops.
#pragma once

#include <cstddef>

namespace assay::probe {

// The sum of n floats, in eight independent chains of four lanes.
float sum(const float* x, std::size_t n);

// y[i] = x[i] · (1 + a + a² + … + a^(kRecurrenceSteps−1)) for n elements, by Horner's rule: two
// operations a step, eight chains at a time. n: a multiple of kRecurrenceWidth.
inline constexpr int kRecurrenceSteps = 256;
inline constexpr float kRecurrenceFactor = 0.984375F;  // 63/64, exact
inline constexpr std::size_t kRecurrenceWidth = 32;
void recurrence(const float* x, float* y, std::size_t n);

}  // namespace assay::probe
