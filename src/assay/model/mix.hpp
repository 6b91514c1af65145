// SPDX-License-Identifier: MIT
//
// Which kernel's rate a call is held against, by what it reads and writes. Internal to model/.
#pragma once

#include <string>

#include "assay/model/ceilings.hpp"

namespace assay::model {

// Of all that a call moves: so little that it does not count.
inline constexpr double kLittleFrac = 0.01;

inline double bytes_of(const MemoryCall& call) { return call.bytes_read + call.bytes_written; }

inline bool is_cold_read(const MemoryCall& call) {
  return call.is_cold && call.bytes_written < kLittleFrac * bytes_of(call);
}

struct RateOfMix {
  std::string kernel;
  Reading<double> rate;
};
inline RateOfMix rate_of_mix(const MemoryCall& call, const Level& level) {
  const double little = kLittleFrac * bytes_of(call);
  if (call.bytes_written < little) return {"read", level.read_bytes_per_s};
  if (call.bytes_read < little) return {"write", level.write_bytes_per_s};
  return {"copy", level.copy_bytes_per_s};
}

}  // namespace assay::model
