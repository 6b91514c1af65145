// SPDX-License-Identifier: MIT
#include "assay/device/source_kernel.hpp"

#include "assay/base/error.hpp"
#include "assay/device/device.hpp"

namespace assay::device {

std::unique_ptr<KernelCode> Device::compile(const SourceKernel& kernel) {
  throw Error(ErrorKind::device, "the device " + id() + " cannot run CUDA source: the kernel '" +
                                     kernel.kernel + "' of " + kernel.file_name +
                                     " needs a CUDA device (--device cuda)");
}

}  // namespace assay::device
