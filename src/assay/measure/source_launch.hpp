// SPDX-License-Identifier: MIT
//
// SourceLaunch: the kernel of a source subject made ready for one cell: compiled, loaded, its grid
// and arguments set. Internal.
#pragma once

#include <memory>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/measure/context.hpp"
#include "assay/measure/cuda_source.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

class SourceLaunch final : public detail::Launch {
 public:
  // Throws what reading, compiling and loading throw; Error{bad_input} where the arguments do not
  // fit the kernel's parameters, or the device cannot run such blocks.
  SourceLaunch(const CudaSource& source, Context& context, device::Device& device);

  void run(std::int64_t iterations) override;

  // What the record keeps of it.
  wire::Generated generated(const std::string& subject) const;

 private:
  std::unique_ptr<device::LoadedKernel> kernel_;
  Dim3 grid_;
  Dim3 block_;
  std::int64_t shared_bytes_;
  void* stream_;
  Arguments arguments_;
  std::vector<void*> pointers_;
};

}  // namespace assay::measure
