// SPDX-License-Identifier: MIT
//
// The memory that one subject needed in one cell, and what there was. Internal.
#pragma once

#include <cstdint>
#include <string>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"

namespace assay {

struct MemoryUse {
  static constexpr const char* no_managed_memory = "not-applicable";  // then not written either

  // By the library for the subject: inputs, outputs, scratch. What the subject allocates by itself
  // is in none of it.
  std::int64_t allocated_bytes = 0;
  // The most that the worker's process had resident while the subject ran; of a device with memory
  // of its own, what all had taken of it after the subject had run.
  Reading<std::int64_t> peak_bytes = Missing{"not-measured", ""};
  Reading<std::int64_t> swapped_bytes = Missing{"not-measured", ""};  // of the process, afterwards
  // Of the process, on other memory nodes than that of its core.
  Reading<std::int64_t> remote_bytes = Missing{"not-measured", ""};
  // The most managed memory that the subject's own code held at once, which a driver may keep in
  // the host's memory and move; of devices that have such.
  Reading<std::int64_t> managed_bytes = Missing{no_managed_memory, ""};
  // That the process could have at most, beside what others had …
  Reading<std::int64_t> capacity_bytes = Missing{"not-measured", ""};
  std::string capacity_of;  // … by "machine", "control-group" or "device"

  // capacity − peak; below 0 where it does not fit.
  Reading<std::int64_t> spare_bytes() const;
  // Whether the steady state fits: there is room for the peak, and nothing is swapped out.
  Reading<bool> fits() const;
};

Json to_json(const MemoryUse& use);
// Throws Error{bad_input}, for negative numbers too.
MemoryUse memory_use_from_json(const Json& json, const std::string& where);

}  // namespace assay
