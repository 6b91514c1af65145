// SPDX-License-Identifier: MIT
//
// The least time that measured ceilings and declared work predict, and which limit it comes from:
// the roofline, with a third line for what every call costs.
//
//   memory    all bytes at the rate of the mix (read, write, copy) in the nearest level that could
//             hold the footprint; of a cold call in the memory
//   compute   the operations of each dtype at the peak measured for it; those of no declared dtype
//             at the highest peak of all, so that it stays a lower bound; unknown while one of
//             the peaks is
//   launch    what the measured interval and the loop around the call cost when it does nothing
//
// The predicted bound is the largest of the three. It bounds the declared work, not the time: data
// that lie nearer than the footprint says can be faster.
#pragma once

#include <string>

#include "assay/base/reading.hpp"
#include "assay/model/ceilings.hpp"

namespace assay::model {

struct Limit {
  double ns = 0;
  std::string at;      // a level of the memory, or a dtype
  std::string kernel;  // "read", "write", "copy"; "multiply-add", "matrix product"
  double rate = 0;     // bytes or operations per second

  friend bool operator==(const Limit&, const Limit&) = default;
};

struct Limits {
  std::int64_t threads = 1;  // of the ceilings that were taken
  Reading<Limit> memory = Missing{"not-measured", ""};
  Reading<Limit> compute = Missing{"not-measured", ""};
  Reading<double> launch_ns = Missing{"not-measured", ""};
  // The largest of those, and which: "memory", "compute", "launch". Missing unless all work that is
  // declared has its limit.
  Reading<double> bound_ns = Missing{"not-measured", ""};
  Reading<std::string> nearest = Missing{"not-measured", ""};
  Reading<double> flop_per_byte = Missing{"not-declared", ""};  // over all bytes that are declared
};

// launch_ns: of one call, with all that is in its interval.
Limits limits_of(const MemoryCall& call, const Ceilings& ceilings,
                 const Reading<double>& launch_ns);

// bound_ns over the time of a call.
Reading<double> share_of_bound(const Limits& limits, double call_ns);

// "memory-bound", "compute-bound" or "launch-bound": by the nearest limit, where it explains at
// least half of the time. Missing ("far-from-limits") where it does not: then no limit that was
// measured is what the time comes from, and moving fewer bytes or doing fewer operations need not
// help.
inline constexpr double kExplainsFrac = 0.5;
Reading<std::string> bound_word(const Limits& limits, double call_ns);

}  // namespace assay::model
