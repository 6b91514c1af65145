// SPDX-License-Identifier: MIT
//
// What a subject in CUDA C++ needs around its kernels: the queue, errors as exceptions, the size of
// the GPU.
#pragma once

#include <cuda_runtime.h>

#include <assay/assay.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace cuda_common {

// `what` says what was tried: "launching sum_lines".
inline void expect(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// After each launch: a kernel that could not start says so nowhere else.
inline void expect_launched(const char* what) { expect(cudaGetLastError(), what); }

// On a device without a queue the tensors lie in the host's memory, which kernels must not touch.
inline cudaStream_t stream_of(const assay::Context& context) {
  if (context.stream() == nullptr)
    throw std::runtime_error("this subject launches CUDA kernels: run it with --device cuda");
  return static_cast<cudaStream_t>(context.stream());
}

// Of the current device; asked once a process, as a call must not wait for the driver.
inline int multiprocessors() {
  static const int count = [] {
    int device = 0;
    int value = 0;
    expect(cudaGetDevice(&device), "asking for the current device");
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device),
           "asking for the number of multiprocessors");
    return value;
  }();
  return count;
}

// Blocks for n threads' worth of work.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t per_block) {
  return n <= 0 ? 1 : (n + per_block - 1) / per_block;
}

}  // namespace cuda_common
