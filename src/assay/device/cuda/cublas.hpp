// SPDX-License-Identifier: MIT
//
// Cublas: NVIDIA's library of linear algebra, opened at run time, for the one thing that Assay asks
// of it: how fast the device multiplies matrices of bf16. Kernels of our own for the tensor cores
// would be others for each generation, and slower: the ceiling is what the vendor's reaches. The
// little of its interface that is called is written down here, so that no header of it is needed.
// Internal.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::device::cuda {

class Cublas {
 public:
  // Of the current context; its work goes to the stream. Missing: "no-library" (with what the
  // loader said), "library-too-old" (and the first function that it lacks), "library-failed".
  static Reading<Cublas> open(const std::vector<std::string>& names, CUstream stream);
  // libcublas.so.13 and .12 where the loader and the toolkit have them, or $ASSAY_CUBLAS_LIBRARY.
  static std::vector<std::string> names();

  const std::string& version() const noexcept { return version_; }  // "cuBLAS 13.1.0"

  // Enqueues c = op(a) b of n times n numbers each, added up in single precision; op: transposed or
  // not, of which the one or the other is faster. Throws Error{device}.
  void multiply_bf16(std::int64_t n, bool is_transposed, CUdeviceptr a, CUdeviceptr b,
                     CUdeviceptr c) const;

 private:
  struct Functions;
  Cublas(std::shared_ptr<const Functions> functions, std::shared_ptr<void> handle,
         std::string version)
      : functions_(std::move(functions)),
        handle_(std::move(handle)),
        version_(std::move(version)) {}

  std::shared_ptr<const Functions> functions_;
  std::shared_ptr<void> handle_;  // destroyed with the last of its copies
  std::string version_;
};

}  // namespace assay::device::cuda
