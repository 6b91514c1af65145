// SPDX-License-Identifier: MIT
//
// The cores that this process may use and the caches between them and the memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::probe {

struct Cache {
  std::string name;        // "L1", "L2", "L3"
  std::int64_t bytes = 0;  // that one of them holds
  // Beside Topology::cores: which of the caches of this kind the core has.
  std::vector<int> of_core;

  // Of how many of them the first `threads` cores have a share.
  std::int64_t count_for(std::int64_t threads) const;
};

struct Topology {
  // One logical processor of each core, ordered so that the first n of them share as little as n
  // can: what they reach together is then the most that n threads can have.
  std::vector<int> cores;
  std::int64_t cores_allowed = 0;  // logical processors
  // Data and unified caches, the nearest first. Missing where nothing is known.
  Reading<std::vector<Cache>> caches = Missing{"not-known", ""};
  Reading<std::int64_t> memory_bytes = Missing{"not-known", ""};
  Reading<std::int64_t> memory_free_bytes = Missing{"not-known", ""};
};

// By hwloc, which asks the kernel and, where that does not know, the processor.
Topology topology_of_this_machine();

// For topology_of_this_machine: numbers of `group_of` taken in turns, so that neighbours in the
// result are of different groups as long as there are any. Returns positions in group_of.
std::vector<std::size_t> in_turns(const std::vector<int>& group_of);

}  // namespace assay::probe
