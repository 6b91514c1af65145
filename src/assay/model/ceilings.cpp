// SPDX-License-Identifier: MIT
#include "assay/model/ceilings.hpp"

#include <algorithm>
#include <optional>

namespace assay::model {
namespace {

constexpr double little_frac = 0.01;
constexpr std::int64_t caches_that_cannot_hold = 4;

double bytes_of(const MemoryCall& call) { return call.bytes_read + call.bytes_written; }

double rate_of(const MemoryCall& call, double call_ns) { return bytes_of(call) / (call_ns * 1e-9); }

}  // namespace

Reading<bool> comes_from_memory(const MemoryCall& call, const Ceilings& ceilings) {
  if (!(bytes_of(call) > 0)) {
    return Missing{"no-bytes", "the work model says of no bytes that they are moved"};
  }
  if (call.is_cold && call.bytes_written < little_frac * bytes_of(call)) return true;
  if (!ceilings.last_level_cache_bytes) {
    return Missing{"cache-unknown", "the size of the last-level cache is not known"};
  }
  if (call.footprint_bytes >= caches_that_cannot_hold * *ceilings.last_level_cache_bytes) {
    return true;
  }
  return Missing{"in-cache", "a cache may hold the data, so the memory's ceiling says nothing"};
}

Reading<double> share_of_ceiling(const MemoryCall& call, double call_ns, const Ceilings& ceilings) {
  ASSAY_EXPECTS(call_ns > 0);
  const Reading<bool> from_memory = comes_from_memory(call, ceilings);
  if (!from_memory) return from_memory.missing();
  const double little = little_frac * bytes_of(call);
  const Reading<double>& ceiling = call.bytes_written < little ? ceilings.read_bytes_per_s
                                   : call.bytes_read < little  ? ceilings.write_bytes_per_s
                                                               : ceilings.copy_bytes_per_s;
  return ceiling.transform(
      [&](double bytes_per_s) { return rate_of(call, call_ns) / bytes_per_s; });
}

Reading<double> best_of(const Ceilings& ceilings) {
  std::optional<double> best;
  for (const auto* ceiling : {&ceilings.read_bytes_per_s, &ceilings.write_bytes_per_s,
                              &ceilings.copy_bytes_per_s, &ceilings.triad_bytes_per_s}) {
    if (*ceiling) best = std::max(best.value_or(0), **ceiling);
  }
  if (!best) return ceilings.read_bytes_per_s.missing();
  return *best;
}

Reading<bool> is_impossible(const MemoryCall& call, double call_ns, const Ceilings& ceilings) {
  ASSAY_EXPECTS(call_ns > 0);
  const Reading<bool> from_memory = comes_from_memory(call, ceilings);
  if (!from_memory) return from_memory.missing();
  double bytes = std::min(bytes_of(call), static_cast<double>(call.footprint_bytes));
  const bool is_cold_read = call.is_cold && call.bytes_written < little_frac * bytes_of(call);
  if (!is_cold_read) bytes -= 2 * static_cast<double>(*ceilings.last_level_cache_bytes);
  if (!(bytes > 0)) {
    return Missing{"in-cache", "caches may have held all that the call needed to move"};
  }
  return best_of(ceilings).transform([&](double bytes_per_s) {
    return bytes / (call_ns * 1e-9) > bytes_per_s * (1 + kCeilingTolerance);
  });
}

}  // namespace assay::model
