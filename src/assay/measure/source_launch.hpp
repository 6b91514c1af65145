// SPDX-License-Identifier: MIT
//
// SourceLaunch: the kernel of a source subject made ready for one cell: compiled, its grid and
// arguments set, and loaded, at the latest when it is first launched. Internal.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/base/startup.hpp"
#include "assay/device/device.hpp"
#include "assay/measure/context.hpp"
#include "assay/measure/cuda_source.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

class SourceLaunch final : public detail::Launch {
 public:
  // Throws what reading and compiling throw.
  SourceLaunch(const CudaSource& source, Context& context, device::Device& device);

  // Throws what loading throws; Error{bad_input} where the arguments do not fit the kernel's
  // parameters, or the device cannot run such blocks.
  void load();
  // None before it has been loaded.
  const std::optional<PhaseTime>& loading() const noexcept { return loading_; }

  void run(std::int64_t iterations) override;

  // What the record keeps of it. It has been loaded.
  wire::Generated generated(const std::string& subject) const;

 private:
  std::unique_ptr<device::KernelCode> code_;
  std::unique_ptr<device::LoadedKernel> kernel_;  // nullptr: not loaded yet
  std::optional<PhaseTime> loading_;
  Dim3 grid_;
  Dim3 block_;
  std::int64_t shared_bytes_;
  void* stream_;
  Arguments arguments_;
  std::vector<void*> pointers_;
};

}  // namespace assay::measure
