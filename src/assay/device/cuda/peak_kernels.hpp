// SPDX-License-Identifier: MIT
//
// PeakKernels: Assay's own kernels for what a device computes at most, loaded only when ceilings
// are measured. As PTX, which the driver compiles, and written by a loop: they are hundreds of
// equal instructions.
//
// multiply-add: each thread has a few independent chains x <- x * x + c with a c of its own between
// -1.95 and -1.45. There the map is chaotic and stays within -2 and 2: no two steps have the same
// operands, so that no compiler folds them and the arithmetic takes the power that real numbers
// take, which constants and chains that come to rest do not. Internal.
#pragma once

#include <cstdint>
#include <string>

#include "assay/device/cuda/driver.hpp"

namespace assay::device::cuda {

std::string peak_kernels_ptx();

class PeakKernels {
 public:
  // Compiles them for the current context. Throws Error{device}.
  explicit PeakKernels(const Driver& driver);
  ~PeakKernels();
  PeakKernels(const PeakKernels&) = delete;
  PeakKernels& operator=(const PeakKernels&) = delete;

  enum class Type { f32, f64 };
  // Multiplications and additions of one launch, each counted as one.
  static double flop(unsigned rounds, unsigned blocks);
  // Enqueues `blocks` of 256 threads. Throws Error{device}.
  void multiply_add(Type type, unsigned rounds, unsigned blocks, CUstream stream) const;
  // Fills with random numbers of bf16 between 1/2 and 1, of both signs. bytes: a multiple of 4.
  void random_bf16(CUdeviceptr to, std::size_t bytes, unsigned seed, unsigned blocks,
                   CUstream stream) const;

 private:
  void launch(CUfunction function, unsigned blocks, CUstream stream, void** arguments) const;

  const Driver* driver_;
  CUmodule module_ = nullptr;
  CUfunction f32_ = nullptr;
  CUfunction f64_ = nullptr;
  CUfunction random_ = nullptr;
  CUdeviceptr sink_ = 0;
};

}  // namespace assay::device::cuda
