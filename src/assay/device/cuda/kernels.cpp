// SPDX-License-Identifier: MIT
#include "assay/device/cuda/kernels.hpp"

#include "assay/device/cuda/code_refusal.hpp"

namespace assay::device::cuda {

Kernels::Kernels(const Driver& driver) : driver_(&driver) {
  check_code(driver, driver.cuModuleLoadData(&module_, kernels_ptx),
             "compiling Assay's own kernels (cuModuleLoadData)", own_code(kernels_ptx));
  const auto find = [&](CUfunction& function, const char* name) {
    driver.check(driver.cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction");
  };
  find(empty_, "assay_empty");
  find(read_, "assay_read");
  find(write_, "assay_write");
  find(copy_, "assay_copy");
  find(copy_tiles_, "assay_copy_tiles");
  find(triad_, "assay_triad");
  find(chain_, "assay_chain");
  driver.check(driver.cuMemAlloc(&sink_, 16), "cuMemAlloc");
}

Kernels::~Kernels() {
  // Of a device that is lost neither can succeed, and there is nobody to tell.
  driver_->cuMemFree(sink_);
  driver_->cuModuleUnload(module_);
}

void Kernels::launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                     void** arguments) const {
  driver_->check(
      driver_->cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
      "launching one of Assay's own kernels (cuLaunchKernel)");
}

void Kernels::empty(CUstream stream) const { launch(empty_, 1, 1, stream, nullptr); }

void Kernels::read(CUdeviceptr buffer, std::size_t bytes, unsigned blocks, CUstream stream) const {
  std::uint64_t count = bytes / 16;
  CUdeviceptr sink = sink_;
  void* arguments[] = {&buffer, &count, &sink};
  launch(read_, blocks, 256, stream, arguments);
}

void Kernels::write(CUdeviceptr buffer, std::size_t bytes, unsigned seed, unsigned blocks,
                    CUstream stream) const {
  std::uint64_t count = bytes / 16;
  void* arguments[] = {&buffer, &count, &seed};
  launch(write_, blocks, 256, stream, arguments);
}

void Kernels::copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes, unsigned blocks,
                   CUstream stream) const {
  std::uint64_t count = bytes / 16;
  void* arguments[] = {&from, &to, &count};
  launch(copy_, blocks, 256, stream, arguments);
}

void Kernels::copy_tiles(CUdeviceptr from, CUdeviceptr to, std::size_t bytes, unsigned blocks,
                         CUstream stream) const {
  std::uint64_t count = bytes / 16;
  void* arguments[] = {&from, &to, &count};
  launch(copy_tiles_, blocks, 256, stream, arguments);
}

void Kernels::triad(CUdeviceptr from, CUdeviceptr also, CUdeviceptr to, std::size_t bytes,
                    unsigned blocks, CUstream stream) const {
  std::uint64_t count = bytes / 16;
  void* arguments[] = {&from, &also, &to, &count};
  launch(triad_, blocks, 256, stream, arguments);
}

void Kernels::chain(unsigned steps, CUstream stream) const {
  CUdeviceptr sink = sink_;
  void* arguments[] = {&steps, &sink};
  launch(chain_, 1, 1, stream, arguments);
}

}  // namespace assay::device::cuda
