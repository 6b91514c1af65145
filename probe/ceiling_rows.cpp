// SPDX-License-Identifier: MIT
#include "ceiling_rows.hpp"

#include <algorithm>

#include "ceiling_kernels.hpp"

namespace assay::probe {
namespace {

constexpr std::int64_t kMib = std::int64_t{1} << 20;
constexpr std::int64_t kTimesLastLevel = 4;
// Where the caches are unknown or small: beyond what any processor of today has, or long enough for
// a pass.
constexpr std::int64_t kUnknownArray = 512 * kMib;
constexpr std::int64_t kLeastArray = 64 * kMib;
constexpr std::int64_t kMostArrays = 3;

struct Kernel {
  const char* name;
  const char* stores;
};
constexpr Kernel kRegular[] = {
    {"read", "none"}, {"write", "regular"}, {"copy", "regular"}, {"triad", "regular"}};
constexpr Kernel kNonTemporal[] = {
    {"write", "non-temporal"}, {"copy", "non-temporal"}, {"triad", "non-temporal"}};

std::int64_t rounded(std::int64_t array_bytes, std::int64_t threads) {
  const auto granule = static_cast<std::int64_t>(kGranule * sizeof(double)) * threads;
  return std::max<std::int64_t>(array_bytes / granule, 1) * granule;
}

BandwidthCeiling row_of(const std::string& level, const Kernel& kernel, std::int64_t threads,
                        std::int64_t array_bytes) {
  BandwidthCeiling row;
  row.level = level;
  row.kernel = kernel.name;
  row.stores = kernel.stores;
  row.threads = threads;
  row.array_bytes = array_bytes;
  return row;
}

}  // namespace

std::vector<std::int64_t> thread_counts(std::int64_t cores) {
  std::vector<std::int64_t> counts{1};
  if (cores > 1) counts.push_back(cores);
  for (std::int64_t count = 2; count < cores; count = count < 4 ? count + 1 : 2 * count) {
    counts.push_back(count);
  }
  return counts;
}

std::vector<MemoryLevel> levels_of(const Topology& topology) {
  std::vector<MemoryLevel> levels;
  const auto cores = static_cast<std::int64_t>(topology.cores.size());
  if (topology.caches) {
    for (const Cache& cache : *topology.caches) {
      levels.push_back({cache.name, cache.bytes, cache.count_for(cores)});
    }
  }
  levels.push_back({memory_level_name, topology.memory_bytes, 1});
  return levels;
}

std::int64_t arrays_of(const BandwidthCeiling& row) {
  return row.kernel == "triad" ? 3 : row.kernel == "copy" ? 2 : 1;
}

std::size_t elements_of(const BandwidthCeiling& row) {
  return static_cast<std::size_t>(row.array_bytes / row.threads) / sizeof(double);
}

double bytes_of(const BandwidthCeiling& row) {
  return static_cast<double>(arrays_of(row) * row.array_bytes);
}

std::vector<BandwidthCeiling> rows_of(const Topology& topology, std::int64_t threads) {
  std::vector<BandwidthCeiling> rows;
  std::int64_t array = kUnknownArray;
  if (topology.caches) {
    const Cache& last = topology.caches->back();
    array = std::max(kLeastArray, kTimesLastLevel * last.bytes * last.count_for(threads));
  }
  // Rounded up: four times is the least.
  array = rounded(array - 1, threads) + rounded(1, threads);
  const bool has_room =
      !topology.memory_free_bytes || kMostArrays * array <= *topology.memory_free_bytes / 2;
  const auto add_of_memory = [&](const Kernel& kernel) {
    rows.push_back(row_of(memory_level_name, kernel, threads, array));
    if (!has_room) {
      rows.back().bytes_per_s =
          Missing{"no-room",
                  "three arrays of four times the last-level caches are more than half "
                  "of the memory that is free"};
    }
  };
  for (const Kernel& kernel : kRegular) add_of_memory(kernel);
  for (const Kernel& kernel : kNonTemporal) add_of_memory(kernel);
  if (!topology.caches) return rows;
  std::int64_t nearer = 0;
  for (const Cache& cache : *topology.caches) {
    const std::int64_t all = cache.bytes * cache.count_for(threads);
    const std::int64_t total = std::max(all / 2, nearer + all / 4);
    for (const Kernel& kernel : kRegular) {
      BandwidthCeiling row = row_of(cache.name, kernel, threads, total);
      row.array_bytes = rounded(total / arrays_of(row), threads);
      rows.push_back(std::move(row));
    }
    nearer += all;
  }
  return rows;
}

}  // namespace assay::probe
