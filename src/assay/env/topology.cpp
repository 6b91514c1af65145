// SPDX-License-Identifier: MIT
#include <hwloc.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

// hwloc takes some of what it is to do from variables only.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), /*overwrite=*/1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), /*overwrite=*/1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

Topology load(const Sources& sources) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // The whole machine, whatever this process may use of it; and no GPU is opened for a look at it.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  for (const char* component : {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  const Variable no_remarks("HWLOC_HIDE_ERRORS", "2");  // on a /sys that has little
  if (sources.is_this_machine()) {
    return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
  }
  // The processor that runs this has nothing to say about other systems.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  const Variable root("HWLOC_FSROOT", sources.root().string());
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

std::string text_of(hwloc_const_cpuset_t set) {
  char* text = nullptr;
  if (set == nullptr || hwloc_bitmap_list_asprintf(&text, set) < 0) return {};
  const std::unique_ptr<char, decltype(&std::free)> owner(text, &std::free);
  return text;
}

const char* kind_of(hwloc_obj_cache_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
      return "Data";
    case HWLOC_OBJ_CACHE_INSTRUCTION:
      return "Instruction";
    default:
      return "Unified";
  }
}

// Caches that are alike are one entry. A machine may have several kinds at one level.
Reading<Json> caches(hwloc_topology_t topology) {
  struct Kind {
    std::int64_t count = 0;
    unsigned line = 0;
    std::string shared_by;
  };
  std::map<std::tuple<unsigned, std::string, std::uint64_t>, Kind> kinds;
  for (int depth = 0; depth < hwloc_topology_get_depth(topology); ++depth) {
    if (hwloc_obj_type_is_cache(hwloc_get_depth_type(topology, depth)) == 0) continue;
    for (hwloc_obj_t cache = hwloc_get_obj_by_depth(topology, depth, 0); cache != nullptr;
         cache = cache->next_cousin) {
      const auto& attributes = cache->attr->cache;
      if (attributes.size == 0) continue;
      Kind& kind = kinds[{attributes.depth, kind_of(attributes.type), attributes.size}];
      if (kind.count++ > 0) continue;
      kind.line = attributes.linesize;
      kind.shared_by = text_of(cache->cpuset);
    }
  }
  if (kinds.empty()) return Missing{"not-described", "neither the system nor hwloc tells of one"};
  Json list = Json::array();
  for (const auto& [key, kind] : kinds) {
    list.push_back(Json{{"level", std::get<0>(key)},
                        {"type", std::get<1>(key)},
                        {"size_bytes", std::get<2>(key)},
                        {"count", kind.count},
                        {"shared_by_cpus", kind.shared_by}});
    if (kind.line > 0) list.back()["line_bytes"] = kind.line;
  }
  return list;
}

Reading<Json> nodes(hwloc_topology_t topology) {
  Json list = Json::array();
  for (hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, 0); node != nullptr;
       node = node->next_cousin) {
    list.push_back(Json{{"node", node->os_index}, {"cpus", text_of(node->cpuset)}});
    if (node->attr->numanode.local_memory > 0) {
      list.back()["memory_bytes"] = node->attr->numanode.local_memory;
    }
  }
  if (list.empty()) return Missing{"not-described", "hwloc knows of no node"};
  return list;
}

// Cores of several speeds ("performance" and "efficiency") in one machine.
Reading<Json> core_kinds(hwloc_topology_t topology) {
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  if (count <= 0) return Missing{"not-described", "hwloc tells no kinds of cores apart"};
  Json list = Json::array();
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> cpus(hwloc_bitmap_alloc(),
                                                                             &hwloc_bitmap_free);
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(topology, i, cpus.get(), &efficiency, nullptr, nullptr, 0) != 0) {
      continue;
    }
    list.push_back(Json{{"cpus", text_of(cpus.get())}});
  }
  return list;
}

Reading<std::int64_t> count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  if (count <= 0) return Missing{"not-described", "hwloc knows of none"};
  return std::int64_t{count};
}

}  // namespace

Json topology_facts(const Sources& sources) {
  // Without it hwloc would make up a machine of as many cores as this process may use.
  const std::string folder = "/sys/devices/system/cpu/cpu0/topology";
  const Topology topology = sources.exists(folder) ? load(sources) : nullptr;
  if (topology == nullptr) {
    const Missing missing{"not-described", folder + " is not there, or hwloc could not read it"};
    Json json;
    for (const char* name : {"packages", "cores", "hardware_threads", "caches", "nodes", "kinds"}) {
      json[name] = sourced(Reading<Json>(missing), "hwloc");
    }
    return json;
  }
  hwloc_topology_t raw = topology.get();
  const char* version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(raw), "hwlocVersion");
  const std::string source = std::string("hwloc ") + (version != nullptr ? version : "");
  return Json{{"packages", sourced(count_of(raw, HWLOC_OBJ_PACKAGE), source)},
              {"cores", sourced(count_of(raw, HWLOC_OBJ_CORE), source)},
              {"hardware_threads", sourced(count_of(raw, HWLOC_OBJ_PU), source)},
              {"caches", sourced(caches(raw), source)},
              {"nodes", sourced(nodes(raw), source)},
              {"kinds", sourced(core_kinds(raw), source)}};
}

}  // namespace assay::env
