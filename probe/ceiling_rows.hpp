// SPDX-License-Identifier: MIT
//
// Which ceilings are measured: the thread counts, and for each of them the kernels in each level of
// the memory with the sizes of their arrays. Plain arithmetic on a topology.
//
// A cache's arrays take half of it (of all those of its kind that the threads have), or more where
// nearer caches would hold most of that. In the memory each array is at least four times what the
// last-level caches hold, as STREAM asks.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "topology.hpp"

namespace assay::probe {

// All counts up to 4, then powers of two, and all cores. 1 and all come first: where the time runs
// out, these are there.
std::vector<std::int64_t> thread_counts(std::int64_t cores);

// The caches, and the memory. Where nothing is known of the caches, the memory alone.
std::vector<MemoryLevel> levels_of(const Topology& topology);

// The rows of one thread count, all of them missing as "not-measured", or as "no-room" where there
// is too little memory; memory first.
std::vector<BandwidthCeiling> rows_of(const Topology& topology, std::int64_t threads);

std::int64_t arrays_of(const BandwidthCeiling& row);
// Doubles of each array that one thread has: a multiple of kGranule.
std::size_t elements_of(const BandwidthCeiling& row);
// Bytes that one pass counts.
double bytes_of(const BandwidthCeiling& row);

}  // namespace assay::probe
