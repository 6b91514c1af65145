// SPDX-License-Identifier: MIT
//
// How near a time comes to what the device's memory allows, by ceilings that were measured on it.
//
// "142 µs" is neither good nor bad without the limit beside it. The limits here are rates that
// simple kernels reached on the same device before the experiment, not a datasheet's. They are of
// memory: a call whose data lie in a cache may be faster than any of them, honestly, so a share is
// given, and a time is called impossible, only where the data must have come from memory.
#pragma once

#include <cstdint>

#include "assay/base/reading.hpp"

namespace assay::model {

// Bytes per second of large arrays, counted as what the kernel must move (a copy reads and writes).
struct Ceilings {
  Reading<double> read_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> write_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> copy_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> triad_bytes_per_s = Missing{"not-measured", ""};
  Reading<std::int64_t> last_level_cache_bytes = Missing{"not-measured", ""};
};

// What one call has to move, and where it starts from.
struct MemoryCall {
  double bytes_read = 0;
  double bytes_written = 0;
  std::int64_t footprint_bytes = 0;  // inputs and outputs together
  bool is_cold = false;              // no cache held any of it
};

// Whether its data come from memory: a cold call that does little but read, or a footprint of at
// least four times the last-level cache. (A cold call that writes may leave its output in the
// cache.) Missing: "no-bytes", "cache-unknown", "in-cache".
Reading<bool> comes_from_memory(const MemoryCall& call, const Ceilings& ceilings);

// Bytes moved in `call_ns` as a share of the ceiling of that mix: of reading where it writes less
// than a hundredth of what it moves, of writing where it reads less than that, else of copying.
// Missing where comes_from_memory is, or that ceiling.
Reading<double> share_of_ceiling(const MemoryCall& call, double call_ns, const Ceilings& ceilings);

// The highest of the ceilings that are known. Missing if none is.
Reading<double> best_of(const Ceilings& ceilings);

// Above the best of all ceilings by more than the tolerance of 5 %, counted over the bytes that
// must have moved whatever the caches did: no more than the footprint (a model may count a byte as
// often as it is loaded), and, unless the call is cold and but reads, without what a last-level
// cache may have held at its begin and kept at its end. Missing as share_of_ceiling, and "in-cache"
// where nothing is left.
inline constexpr double kCeilingTolerance = 0.05;
Reading<bool> is_impossible(const MemoryCall& call, double call_ns, const Ceilings& ceilings);

}  // namespace assay::model
