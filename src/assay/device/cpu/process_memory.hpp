// SPDX-License-Identifier: MIT
//
// What this process has of the machine's memory, and could have. Takes tens of microseconds, where
// memory has several nodes milliseconds: for untimed passes. Internal.
#pragma once

#include <filesystem>

#include "assay/base/memory_use.hpp"
#include "assay/base/sources.hpp"

namespace assay::device {

class ProcessMemory {
 public:
  explicit ProcessMemory(const std::filesystem::path& root) : sources_(root) {}

  // The peak begins anew, at what is resident now (Linux: "5" to /proc/self/clear_refs, which
  // touches no page). Where that is not allowed, the peak is missing.
  void begin_peak();
  MemoryUse use() const;

 private:
  Sources sources_;
  Reading<bool> is_watched_ = Missing{"not-begun", "no peak was begun"};
};

}  // namespace assay::device
