// SPDX-License-Identifier: MIT
//
// How large the processor's last-level caches are, by the kernel's account. Internal.
#pragma once

#include <cstdint>

#include "assay/base/reading.hpp"
#include "assay/base/sources.hpp"

namespace assay::device {

// Of all caches of the highest level together: a subject of several threads may run above any of
// them, and what one of them holds need not come from memory. Missing: "not-found" where the kernel
// lists none.
Reading<std::int64_t> last_level_cache_bytes(const Sources& sources);

}  // namespace assay::device
