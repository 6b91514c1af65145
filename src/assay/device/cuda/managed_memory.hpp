// SPDX-License-Identifier: MIT
//
// ManagedMemory: what of it the code of each subject holds. A kernel that works on managed memory
// may wait for pages that the driver moves, or read them across the bus; nothing in its time says
// so. Pages and moves are not counted here: only that there is such memory, and whose. Internal.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace assay::device::cuda {

// Safe to be told of by several threads.
class ManagedMemory {
 public:
  // Whose code runs from now on; empty: nobody's.
  void own(std::string owner);
  void allocated(std::uint64_t address, std::int64_t bytes);
  void freed(std::uint64_t address);  // of whatever kind

  // From now on the most that each holds is counted anew, beginning with what it holds now.
  void begin_peak();
  // The most that its code has held at once since.
  std::int64_t most_of(const std::string& owner) const;

 private:
  struct Held {
    std::int64_t now = 0;
    std::int64_t most = 0;
  };
  struct Block {
    std::string owner;
    std::int64_t bytes = 0;
  };
  mutable std::mutex guard_;
  std::string owner_;
  std::map<std::uint64_t, Block> blocks_;  // by address
  std::map<std::string, Held> held_;       // by owner
};

// What the end of a driver's call says of it: cuMemAllocManaged and cuMemFree that succeeded; of
// others nothing. Memory from pools, and variables that are declared __managed__, are not seen.
void note_call(ManagedMemory& memory, CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace assay::device::cuda
