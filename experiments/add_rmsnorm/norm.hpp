// SPDX-License-Identifier: MIT
//
// The pieces of y = RMSNorm(x + r) · w over the rows of a matrix, for float and bfloat16 storage.
// Arithmetic is in float; storing to bfloat16 rounds to nearest even.
#pragma once

#include <assay/problem/dtype.hpp>
#include <cstdint>
#include <string>

#include "epsilon.hpp"

namespace add_rmsnorm {

// sum[i] = x[i] + r[i], rounded to the storage type.
void add(const float* x, const float* r, float* sum, std::int64_t n);
void add(const assay::bf16* x, const assay::bf16* r, assay::bf16* sum, std::int64_t n);

// y = h / sqrt(mean(h²) + epsilon) · w, row by row. Reads each row of h twice; the second time from
// the nearest cache.
void rms_norm(const float* h, const float* w, float* y, std::int64_t rows, std::int64_t cols);
void rms_norm(const assay::bf16* h, const assay::bf16* w, assay::bf16* y, std::int64_t rows,
              std::int64_t cols);

// Both in one pass over each row. row_buffer holds `cols` floats: x + r of the current row, which
// stays in the nearest cache and is never rounded to the storage type.
void add_rms_norm(const float* x, const float* r, const float* w, float* y, float* row_buffer,
                  std::int64_t rows, std::int64_t cols);
void add_rms_norm(const assay::bf16* x, const assay::bf16* r, const assay::bf16* w, assay::bf16* y,
                  float* row_buffer, std::int64_t rows, std::int64_t cols);

// The instruction set that is taken here, as Highway names it.
std::string vector_target();

}  // namespace add_rmsnorm
