// SPDX-License-Identifier: MIT
//
// Assay's own kernels: an empty one for floors, a read and a write over a buffer for caches, and a
// chain of dependent operations that follows the clock. As PTX, which the driver compiles for
// whatever device there is: no compiler is needed to build or to run Assay. Internal.
#pragma once

#include "assay/device/cuda/driver.hpp"

namespace assay::device::cuda {

extern const char kernels_ptx[];

class Kernels {
 public:
  // Compiles them for the current context. Throws Error{device}.
  explicit Kernels(const Driver& driver);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // All enqueue and return. bytes: a multiple of 16, buffer: 16-byte aligned. Throw Error{device}.
  void empty(CUstream stream) const;
  // Reads every byte; blocks: of 256 threads.
  void read(CUdeviceptr buffer, std::size_t bytes, unsigned blocks, CUstream stream) const;
  // Writes every byte, each 16 of them with other values, which depend on the seed.
  void write(CUdeviceptr buffer, std::size_t bytes, unsigned seed, unsigned blocks,
             CUstream stream) const;
  // bytes: of each array.
  void copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes, unsigned blocks,
            CUstream stream) const;
  // The same by tiles of tile_bytes, of which each block takes every so many-th: `blocks` may be as
  // many as there are tiles.
  void copy_tiles(CUdeviceptr from, CUdeviceptr to, std::size_t bytes, unsigned blocks,
                  CUstream stream) const;
  static constexpr std::size_t tile_bytes = std::size_t{32} << 10;
  // to = from + 3 also, in single precision.
  void triad(CUdeviceptr from, CUdeviceptr also, CUdeviceptr to, std::size_t bytes, unsigned blocks,
             CUstream stream) const;
  // One thread, `steps` multiplications each of which needs the one before.
  void chain(unsigned steps, CUstream stream) const;

 private:
  void launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
              void** arguments) const;

  const Driver* driver_;
  CUmodule module_ = nullptr;
  CUfunction empty_ = nullptr;
  CUfunction read_ = nullptr;
  CUfunction write_ = nullptr;
  CUfunction copy_ = nullptr;
  CUfunction copy_tiles_ = nullptr;
  CUfunction triad_ = nullptr;
  CUfunction chain_ = nullptr;
  CUdeviceptr sink_ = 0;
};

}  // namespace assay::device::cuda
