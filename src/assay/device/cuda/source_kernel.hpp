// SPDX-License-Identifier: MIT
//
// compile_source: a kernel from source text, compiled by NVRTC through the cache, to be loaded by
// the driver as machine code for just this device, so that nothing is compiled at its first launch.
// Internal.
#pragma once

#include <memory>
#include <string>

#include "assay/device/cuda/compile_cache.hpp"
#include "assay/device/cuda/driver.hpp"
#include "assay/device/source_kernel.hpp"

namespace assay::device::cuda {

// The context that is current on the thread that loads it gets the module; architecture is the
// device's, "sm_90". The driver must outlive the kernel. Throws Error{device} if there is no NVRTC,
// Error{bad_input} for source that cannot be compiled.
std::unique_ptr<KernelCode> compile_source(const Driver& driver, CUdevice device,
                                           const std::string& architecture,
                                           const SourceKernel& kernel);
// The same with the compilation done.
std::unique_ptr<KernelCode> code_of(const Driver& driver, CUdevice device,
                                    const SourceKernel& kernel, const Obtained& obtained);

}  // namespace assay::device::cuda
