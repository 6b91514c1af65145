// SPDX-License-Identifier: MIT
//
// Page-aligned host memory, for devices whose memory is the host's. Internal to device.
#pragma once

#include <cstddef>

#include "assay/device/device.hpp"

namespace assay::device {

// Whole pages: where inside a page a buffer begins is then what the worker draws for the trial, not
// what the heap happens to give. Throws Error{device}.
Allocation allocate_host(std::size_t bytes);

}  // namespace assay::device
