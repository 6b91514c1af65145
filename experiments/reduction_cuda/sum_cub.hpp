// SPDX-License-Identifier: MIT
//
// CUB's sum behind plain functions, as its headers take long to compile.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace reduction_cuda {

// Bytes of temporary memory that a sum of n floats takes on the current device.
std::size_t cub_temporary_bytes(std::int64_t n);
void sum_cub(void* temporary, std::size_t temporary_bytes, const float* x, std::int64_t n, float* y,
             cudaStream_t stream);
std::string cub_version();

}  // namespace reduction_cuda
