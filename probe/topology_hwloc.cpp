// SPDX-License-Identifier: MIT
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "assay/base/error.hpp"
#include "topology.hpp"

namespace assay::probe {
namespace {

using Handle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    throw Error(ErrorKind::device, "hwloc cannot be started, which knows the cores and caches");
  }
  Handle topology(raw, hwloc_topology_destroy);
  // Whole: what other processes may use does not matter, but where our cores hang does.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) {
    throw Error(ErrorKind::device, "hwloc cannot read the cores and caches of this machine");
  }
  return topology;
}

std::vector<int> processors_allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> allowed;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<std::size_t>(i), &set)) allowed.push_back(i);
  }
  return allowed;
}

Reading<std::int64_t> of_meminfo(const std::string& key) {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::int64_t kib = 0;
  std::string unit;
  while (meminfo >> name >> kib) {
    std::getline(meminfo, unit);
    if (name == key + ":") return kib * 1024;
  }
  return Missing{"not-known", "/proc/meminfo does not give " + key};
}

Reading<std::int64_t> number_in(const char* file) {
  std::int64_t value = 0;
  if (!(std::ifstream(file) >> value)) return Missing{"not-known", file};
  return value;
}

// What the control group that a container is seen in leaves: its arrays are touched, and a group
// that is full is killed. Missing where no limit stands there.
Reading<std::int64_t> room_of_group() {
  for (const auto& [limit, use] :
       {std::pair{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        std::pair{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                  "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const auto most = number_in(limit);
    const auto used = number_in(use);
    if (most && used) return std::max<std::int64_t>(*most - *used, 0);
  }
  return Missing{"not-limited", "no control group limits the memory"};
}

Reading<std::int64_t> least_of(const Reading<std::int64_t>& a, const Reading<std::int64_t>& b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

// The caches above one processor, the nearest first.
std::vector<hwloc_obj_t> caches_of(hwloc_topology_t topology, int processor) {
  std::vector<hwloc_obj_t> caches;
  hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(processor));
  for (; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0 && object->attr->cache.size > 0) {
      caches.push_back(object);
    }
  }
  return caches;
}

Reading<std::vector<Cache>> caches_between(hwloc_topology_t topology,
                                           const std::vector<int>& cores) {
  std::vector<Cache> caches;
  for (const int core : cores) {
    const auto own = caches_of(topology, core);
    for (std::size_t level = 0; level < own.size(); ++level) {
      if (level == caches.size()) {
        caches.push_back({"L" + std::to_string(own[level]->attr->cache.depth),
                          static_cast<std::int64_t>(own[level]->attr->cache.size),
                          {}});
      }
      // Cores that differ: what holds for all of them.
      caches[level].bytes =
          std::min(caches[level].bytes, static_cast<std::int64_t>(own[level]->attr->cache.size));
      caches[level].of_core.push_back(static_cast<int>(own[level]->logical_index));
    }
  }
  while (!caches.empty() && caches.back().of_core.size() != cores.size()) caches.pop_back();
  if (caches.empty()) {
    return Missing{"not-known", "neither the kernel nor the processor says which caches it has"};
  }
  return caches;
}

}  // namespace

Topology topology_of_this_machine() {
  const Handle handle = load();
  Topology topology;
  const std::vector<int> allowed = processors_allowed();
  topology.cores_allowed = static_cast<std::int64_t>(allowed.size());
  std::vector<hwloc_obj_t> seen;
  std::vector<int> first_of_core;
  for (const int processor : allowed) {
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(handle.get(), static_cast<unsigned>(processor));
    hwloc_obj_t core =
        pu == nullptr ? nullptr : hwloc_get_ancestor_obj_by_type(handle.get(), HWLOC_OBJ_CORE, pu);
    if (core != nullptr) {
      if (std::find(seen.begin(), seen.end(), core) != seen.end()) continue;
      seen.push_back(core);
    }
    first_of_core.push_back(processor);
  }
  if (first_of_core.empty()) {
    throw Error(ErrorKind::device, "this process may run on no core that is known");
  }
  const auto unordered = caches_between(handle.get(), first_of_core);
  std::vector<std::size_t> order;
  if (unordered) {
    order = in_turns(unordered->back().of_core);
  } else {
    for (std::size_t i = 0; i < first_of_core.size(); ++i) order.push_back(i);
  }
  for (const std::size_t i : order) topology.cores.push_back(first_of_core[i]);
  topology.caches = caches_between(handle.get(), topology.cores);
  topology.memory_bytes = of_meminfo("MemTotal");
  topology.memory_free_bytes = least_of(of_meminfo("MemAvailable"), room_of_group());
  return topology;
}

}  // namespace assay::probe
