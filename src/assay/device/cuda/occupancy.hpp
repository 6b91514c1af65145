// SPDX-License-Identifier: MIT
//
// Theoretical occupancy: how many blocks of a kernel fit on a multiprocessor at once, from what a
// block needs and what there is. The driver knows the number of blocks; the arithmetic here turns
// it into a share, and says what keeps one more block out, which the driver does not. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/source_kernel.hpp"

namespace assay::device::cuda {

// Of one multiprocessor; the driver's attributes have all of them.
struct MultiprocessorLimits {
  std::int64_t warp_threads = 32;
  std::int64_t threads = 0;
  std::int64_t blocks = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t reserved_shared_bytes = 0;  // for each block, by the system
};

struct BlockNeeds {
  std::int64_t threads = 0;
  std::int64_t registers = 0;     // of a thread
  std::int64_t shared_bytes = 0;  // static and dynamic
};

// What a multiprocessor holds when the driver says that so many blocks fit. limited_by is that of
// fitting_blocks(), Missing{"unclear", …} if that comes to another number.
Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockNeeds& needs,
                       std::int64_t blocks);

// Blocks that fit by the rules of compute capability 7.0 and later (registers are given to a warp
// in units of 256, out of the quarter of the file that its scheduler has; shared memory in units of
// 128 bytes), and the limit that is met first. 0 blocks if not even one fits.
struct FittingBlocks {
  std::int64_t blocks = 0;
  std::string limited_by;
};
FittingBlocks fitting_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs);

// The sizes of the parameters of a kernel, from its declaration in PTX; Missing where that cannot
// be read.
Reading<std::vector<std::int64_t>> parameter_bytes_in(const std::string& ptx,
                                                      const std::string& lowered_name);

}  // namespace assay::device::cuda
