// SPDX-License-Identifier: MIT
//
// The sections of environment.json, one function each. docs/reference/environment.md lists every
// fact. Internal to env.
#pragma once

#include <string_view>

#include "assay/base/json.hpp"
#include "assay/base/sources.hpp"

namespace assay::env {

// A reading with its provenance, as environment.json holds it.
template <typename T>
Json sourced(const Reading<T>& reading, std::string_view source) {
  Json json = json_of(reading);
  json["source"] = source;
  return json;
}

inline bool is_reading(const Json& json) {
  return json.is_object() && (json.contains("value") || json.contains("missing"));
}

Json system_facts(const Sources& sources);       // kernel, libc, what was said at boot
Json cpu_facts(const Sources& sources);          // the processors and their clocks
Json topology_facts(const Sources& sources);     // packages, cores, caches, nodes: by hwloc
Json memory_facts(const Sources& sources);       // sizes, pages, nodes in use
Json load_facts(const Sources& sources);         // who else works here
Json confinement_facts(const Sources& sources);  // container, hypervisor, limits
Json process_facts(const Sources& sources);      // this process: arguments, variables, priority
Json accelerator_facts(const Sources& sources);  // devices as the kernel lists them; none is opened
Json assay_facts();                              // how this Assay was built

// Limits of this process's control group, of version 1 or 2: a part of confinement_facts.
Json cgroup_facts(const Sources& sources);

}  // namespace assay::env
