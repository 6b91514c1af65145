// SPDX-License-Identifier: MIT
#include "assay/model/ceilings.hpp"

#include <algorithm>
#include <optional>

#include "assay/model/mix.hpp"

namespace assay::model {
namespace {

constexpr std::int64_t caches_that_cannot_hold = 4;

const Missing kNotMeasured{"not-measured", "no ceiling of this machine has been measured"};

// Of the thread counts that were measured, the least that has at least so many; else the most.
std::int64_t threads_measured(const MachineCeilings& machine, std::int64_t threads) {
  std::int64_t most = 1;
  std::optional<std::int64_t> least;
  const auto see = [&](std::int64_t measured) {
    most = std::max(most, measured);
    if (measured >= threads) least = std::min(least.value_or(measured), measured);
  };
  for (const BandwidthCeiling& row : machine.bandwidths) see(row.threads);
  for (const ComputeCeiling& row : machine.compute) see(row.threads);
  return threads < 1 ? most : least.value_or(most);
}

Reading<double> rate_of(const MachineCeilings& machine, const std::string& level,
                        const char* kernel, std::int64_t threads) {
  Reading<double> best = Missing{
      "not-measured", "no rate of " + std::string(kernel) + " in " + level + " has been measured"};
  for (const BandwidthCeiling& row : machine.bandwidths) {
    if (row.level != level || row.kernel != kernel || row.threads != threads) continue;
    if (!row.bytes_per_s) {
      if (!best) best = row.bytes_per_s.missing();
    } else if (!best || *best < row.bytes_per_s->best) {
      best = row.bytes_per_s->best;
    }
  }
  return best;
}

// A level's best rate, or that of a farther one where it is higher: then a disturbance kept the
// nearer one down while it was measured.
Reading<double> rate_at(const Ceilings& ceilings, std::size_t level) {
  Reading<double> rate = ceilings.levels[level].best();
  for (std::size_t i = level + 1; i < ceilings.levels.size() && rate; ++i) {
    const Reading<double> farther = ceilings.levels[i].best();
    if (farther && *farther > *rate) rate = *farther;
  }
  return rate;
}

const Level* memory_of(const Ceilings& ceilings) {
  return ceilings.levels.empty() ? nullptr : &ceilings.levels.back();
}

Reading<std::int64_t> last_level_cache_of(const Ceilings& ceilings) {
  const std::size_t levels = ceilings.levels.size();
  if (levels >= 2 && ceilings.levels[levels - 2].capacity_bytes) {
    return ceilings.levels[levels - 2].capacity_bytes;
  }
  return Missing{"cache-unknown", "the size of the last-level cache is not known"};
}

}  // namespace

Reading<double> Level::best() const {
  Reading<double> found = read_bytes_per_s;
  for (const auto* rate : {&write_bytes_per_s, &copy_bytes_per_s, &triad_bytes_per_s}) {
    if (*rate && (!found || **rate > *found)) found = *rate;
  }
  return found;
}

Ceilings ceilings_for(const MachineCeilings& machine, std::int64_t threads) {
  Ceilings ceilings;
  ceilings.are_of_device = machine.are_of_device();
  ceilings.threads = threads_measured(machine, threads);
  for (const MemoryLevel& of_machine : machine.levels) {
    Level level;
    level.name = of_machine.name;
    level.capacity_bytes = of_machine.bytes.transform(
        [&](std::int64_t bytes) { return bytes * std::min(of_machine.count, ceilings.threads); });
    level.read_bytes_per_s = rate_of(machine, level.name, "read", ceilings.threads);
    level.write_bytes_per_s = rate_of(machine, level.name, "write", ceilings.threads);
    level.copy_bytes_per_s = rate_of(machine, level.name, "copy", ceilings.threads);
    level.triad_bytes_per_s = rate_of(machine, level.name, "triad", ceilings.threads);
    ceilings.levels.push_back(std::move(level));
  }
  for (const ComputeCeiling& row : machine.compute) {
    if (row.threads != ceilings.threads) continue;
    ceilings.peaks[row.dtype] = {
        row.flop_per_s.transform([](const Passes& passes) { return passes.best; }),
        row.kernel == matrix_product_name ? "matrix product" : row.kernel};
  }
  for (const CallCost& row : machine.calls) {
    if (row.name != empty_iteration_name && row.name != empty_kernel_name) continue;
    ceilings.call_ns = row.ns.transform([](const Passes& passes) { return passes.best; });
  }
  return ceilings;
}

Reading<bool> comes_from_memory(const MemoryCall& call, const Ceilings& ceilings) {
  if (!(bytes_of(call) > 0)) {
    return Missing{"no-bytes", "the work model says of no bytes that they are moved"};
  }
  if (is_cold_read(call)) return true;
  const Reading<std::int64_t> last_level = last_level_cache_of(ceilings);
  if (!last_level) return last_level.missing();
  if (call.footprint_bytes >= caches_that_cannot_hold * *last_level) return true;
  return Missing{"in-cache", "a cache may hold the data, so the memory's ceiling says nothing"};
}

Reading<double> share_of_ceiling(const MemoryCall& call, double call_ns, const Ceilings& ceilings) {
  ASSAY_EXPECTS(call_ns > 0);
  const Level* memory = memory_of(ceilings);
  if (memory == nullptr) return kNotMeasured;
  const Reading<bool> from_memory = comes_from_memory(call, ceilings);
  if (!from_memory) return from_memory.missing();
  return rate_of_mix(call, *memory).rate.transform([&](double bytes_per_s) {
    return bytes_of(call) / (call_ns * 1e-9) / bytes_per_s;
  });
}

Reading<LeastTime> least_time(const MemoryCall& call, const Ceilings& ceilings) {
  const Level* memory = memory_of(ceilings);
  if (memory == nullptr) return kNotMeasured;
  if (!(bytes_of(call) > 0)) return comes_from_memory(call, ceilings).missing();
  const double most = call.footprint_bytes > 0
                          ? std::min(bytes_of(call), static_cast<double>(call.footprint_bytes))
                          : bytes_of(call);
  Reading<LeastTime> longest = Missing{"in-cache", "caches may have held all that had to move"};
  bool any_rate = false;
  double nearer = 0;
  bool nearer_is_known = true;
  for (std::size_t i = 0; i < ceilings.levels.size(); ++i) {
    const Level& level = ceilings.levels[i];
    const Reading<double> rate = rate_at(ceilings, i);
    any_rate = any_rate || rate;
    const bool is_memory = &level == memory;
    const Reading<bool> from_memory = comes_from_memory(call, ceilings);
    double bytes = most - 2 * nearer;
    bool counts = nearer_is_known && rate;
    if (is_memory) {
      counts = from_memory && rate;
      if (is_cold_read(call)) bytes = most;
      if (!from_memory && !longest) longest = from_memory.missing();
    }
    if (counts && bytes > 0) {
      const double ns = bytes / (*rate * (1 + kCeilingTolerance)) * 1e9;
      if (!longest || ns > longest->ns) longest = LeastTime{ns, level.name, bytes, *rate};
    }
    if (!level.capacity_bytes) nearer_is_known = false;
    if (level.capacity_bytes) nearer += static_cast<double>(*level.capacity_bytes);
  }
  if (!any_rate) return memory->best().missing();
  return longest;
}

}  // namespace assay::model
