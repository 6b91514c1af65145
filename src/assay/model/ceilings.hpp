// SPDX-License-Identifier: MIT
//
// How near a time comes to what the machine allows, by ceilings that were measured on it.
//
// "142 µs" is neither good nor bad without the limit beside it. The limits here are rates that
// simple kernels reached on the same machine before the experiment, not a datasheet's. Which of
// them counts depends on where the data are: a call whose data lie in a cache may be far faster
// than the memory, honestly, and slower than the cache, with something to gain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "assay/base/reading.hpp"

namespace assay::model {

// One level of the memory, for a subject of some number of threads. Rates in bytes per second,
// counted as what the kernel must move (a copy reads and writes); of regular and non-temporal
// stores the better.
struct Level {
  std::string name;
  Reading<std::int64_t> capacity_bytes = Missing{"not-measured", ""};  // of all that they reach
  Reading<double> read_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> write_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> copy_bytes_per_s = Missing{"not-measured", ""};
  Reading<double> triad_bytes_per_s = Missing{"not-measured", ""};

  // The highest of the rates that are known. Missing if none is.
  Reading<double> best() const;
};

struct Peak {
  Reading<double> flop_per_s = Missing{"not-measured", ""};
  std::string kernel;  // "multiply-add", "matrix product"
};

struct Ceilings {
  bool are_of_device = false;         // of all of it: threads say nothing there
  std::int64_t threads = 1;           // of the rows that these are
  std::vector<Level> levels;          // the nearest first, the memory last; empty: none
  std::map<std::string, Peak> peaks;  // by dtype
  Reading<double> call_ns = Missing{"not-measured", ""};  // of a call that does nothing
};

// The rows of the least number of threads that was measured and is at least that of the subject,
// else of all cores. threads: of the subject; −1: all cores.
Ceilings ceilings_for(const MachineCeilings& machine, std::int64_t threads);

// What one call has to do, and where its data are when it begins.
struct MemoryCall {
  double bytes_read = 0;
  double bytes_written = 0;
  std::int64_t footprint_bytes = 0;         // inputs and outputs together
  bool is_cold = false;                     // no cache held any of it
  std::map<std::string, double> flop = {};  // by dtype; "": it was not said of which
};

// Whether its data come from memory: a cold call that does little but read, or a footprint of at
// least four times the last-level cache. (A cold call that writes may leave its output in the
// cache.) Missing: "no-bytes", "cache-unknown", "in-cache".
Reading<bool> comes_from_memory(const MemoryCall& call, const Ceilings& ceilings);

// Bytes moved in `call_ns` as a share of the memory's ceiling of that mix: of reading where it
// writes less than a hundredth of what it moves, of writing where it reads less than that, else of
// copying. Missing where comes_from_memory is, or that ceiling.
Reading<double> share_of_ceiling(const MemoryCall& call, double call_ns, const Ceilings& ceilings);

// The time below which a call is impossible: for each level, the bytes that no nearer cache can
// have held, at the level's best rate and 5 % more; of those times the longest.
//
// Which bytes: no more than the footprint (a model may count a byte as often as it is loaded), and
// of that not what the nearer caches may have held at the begin and kept at the end, twice what
// they hold. For a footprint that the nearest cache holds that is its rate alone, and so on. Of the
// memory only where the data come from it (comes_from_memory); a cold call that but reads found
// nothing nearer. Missing as comes_from_memory is, "not-measured", or "in-cache" where nothing is
// left.
inline constexpr double kCeilingTolerance = 0.05;
struct LeastTime {
  double ns = 0;
  std::string level;
  double bytes = 0;
  double bytes_per_s = 0;  // the level's best, or a farther one's where that is higher
};
Reading<LeastTime> least_time(const MemoryCall& call, const Ceilings& ceilings);

}  // namespace assay::model
