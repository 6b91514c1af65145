// SPDX-License-Identifier: MIT
//
// Canaries: two fixed kernels that run at the start and at the end of every trial, outside every
// subject's interval. Between blocks they would spoil the warm state and double the time; before
// the first cell is prepared and after the last block they cost about 1 ms each and disturb
// nothing. They say what the machine did, not what a subject did. Internal.
#pragma once

#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

inline constexpr const char* compute_canary = "canary-compute";
inline constexpr const char* memory_canary = "canary-memory";

class Canaries {
 public:
  // One untimed call and canary_samples timed ones of each kernel, on these cores. `occasion` is
  // that of the request.
  std::vector<wire::SampleTaken> run(device::Device& device, device::Occasion occasion,
                                     const std::string& timer, const std::vector<int>& cores);

 private:
  // Twice the largest private cache of the time; written, and so resident, from the first run on.
  static constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace assay::measure
