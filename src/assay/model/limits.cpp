// SPDX-License-Identifier: MIT
#include "assay/model/limits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/model/mix.hpp"

namespace assay::model {
namespace {

const Missing kNoFlop{"no-flop", "the work model says of no operations"};
const Missing kNoBytes{"no-bytes", "the work model says of no bytes that they are moved"};

Reading<Limit> memory_limit(const MemoryCall& call, const Ceilings& ceilings) {
  if (!(bytes_of(call) > 0)) return kNoBytes;
  if (ceilings.levels.empty()) {
    return Missing{"not-measured", "no ceiling of this machine has been measured"};
  }
  const Level* level = &ceilings.levels.back();
  for (const Level& each : ceilings.levels) {
    if (call.is_cold || &each == level) break;
    if (!each.capacity_bytes) {
      return Missing{"cache-unknown", "how much " + each.name + " holds is not known"};
    }
    // Without tensors of its own the bytes that it says are all that is known.
    const double footprint =
        call.footprint_bytes > 0 ? static_cast<double>(call.footprint_bytes) : bytes_of(call);
    if (footprint > static_cast<double>(*each.capacity_bytes)) continue;
    level = &each;
    break;
  }
  const RateOfMix mix = rate_of_mix(call, *level);
  return mix.rate.transform([&](double rate) {
    return Limit{bytes_of(call) / rate * 1e9, level->name, mix.kernel, rate};
  });
}

double flop_of(const MemoryCall& call) {
  return std::accumulate(call.flop.begin(), call.flop.end(), 0.0,
                         [](double sum, const auto& each) { return sum + each.second; });
}

// The highest of all: unknown while one of them is.
Reading<std::string> highest_peak(const Ceilings& ceilings) {
  Reading<std::string> highest = Missing{"not-measured", "no peak of any dtype has been measured"};
  double flop_per_s = 0;
  for (const auto& [dtype, peak] : ceilings.peaks) {
    if (!peak.flop_per_s) {
      return Missing{peak.flop_per_s.missing().reason,
                     "the highest peak is not known, since that of " + dtype +
                         " is not: " + peak.flop_per_s.missing().detail};
    }
    if (*peak.flop_per_s <= flop_per_s) continue;
    flop_per_s = *peak.flop_per_s;
    highest = dtype;
  }
  return highest;
}

Reading<Limit> compute_limit(const MemoryCall& call, const Ceilings& ceilings) {
  const double flop = flop_of(call);
  if (!(flop > 0)) return kNoFlop;
  Limit limit;
  for (const auto& [declared, count] : call.flop) {
    if (!(count > 0)) continue;
    const Reading<std::string> dtype =
        declared.empty() ? highest_peak(ceilings) : Reading<std::string>(declared);
    if (!dtype) return dtype.missing();
    const auto peak = ceilings.peaks.find(*dtype);
    if (peak == ceilings.peaks.end()) {
      return Missing{"not-measured", "no peak of " + *dtype + " has been measured"};
    }
    const Reading<double>& flop_per_s = peak->second.flop_per_s;
    if (!flop_per_s) return flop_per_s.missing();
    limit.ns += count / *flop_per_s * 1e9;
    limit.at += (limit.at.empty() ? "" : "+") + *dtype;
    if (limit.kernel.find(peak->second.kernel) == std::string::npos) {
      limit.kernel += (limit.kernel.empty() ? "" : "+") + peak->second.kernel;
    }
  }
  limit.rate = flop / (limit.ns * 1e-9);
  return limit;
}

// A limit is not needed where nothing of the kind is declared.
bool is_open(const Reading<Limit>& limit, const Missing& none) {
  return !limit && limit.missing().reason != none.reason;
}

}  // namespace

Limits limits_of(const MemoryCall& call, const Ceilings& ceilings,
                 const Reading<double>& launch_ns) {
  Limits limits;
  limits.threads = ceilings.threads;
  limits.memory = memory_limit(call, ceilings);
  limits.compute = compute_limit(call, ceilings);
  limits.launch_ns = launch_ns;
  const double flop = flop_of(call);
  if (!(flop > 0)) {
    limits.flop_per_byte = kNoFlop;
  } else if (!(bytes_of(call) > 0)) {
    limits.flop_per_byte = kNoBytes;
  } else {
    limits.flop_per_byte = flop / bytes_of(call);
  }
  for (const auto& [limit, none] :
       {std::pair(&limits.memory, &kNoBytes), std::pair(&limits.compute, &kNoFlop)}) {
    if (!is_open(*limit, *none)) continue;
    limits.bound_ns = limit->missing();
    limits.nearest = limit->missing();
    return limits;
  }
  if (!limits.memory && !limits.compute) {
    const Missing nothing{"not-declared", "no bytes and no operations are declared"};
    limits.bound_ns = nothing;
    limits.nearest = nothing;
    return limits;
  }
  double largest = -1;
  const auto see = [&](const char* name, const Reading<double>& ns) {
    if (!ns || *ns <= largest) return;
    largest = *ns;
    limits.nearest = std::string(name);
  };
  const auto ns_of = [](const Limit& limit) { return limit.ns; };
  see("memory", limits.memory.transform(ns_of));
  see("compute", limits.compute.transform(ns_of));
  see("launch", limits.launch_ns);
  limits.bound_ns = largest;
  return limits;
}

Reading<double> share_of_bound(const Limits& limits, double call_ns) {
  ASSAY_EXPECTS(call_ns > 0);
  return limits.bound_ns.transform([&](double ns) { return ns / call_ns; });
}

Reading<std::string> bound_word(const Limits& limits, double call_ns) {
  const Reading<double> share = share_of_bound(limits, call_ns);
  if (!share) return share.missing();
  if (*share >= kExplainsFrac) return *limits.nearest + "-bound";
  return Missing{"far-from-limits",
                 "its nearest limit, " + *limits.nearest + ", explains less than half of the time"};
}

}  // namespace assay::model
