// SPDX-License-Identifier: MIT
//
// The sections of environment.json, from the files of /proc and /sys below a root. Internal to env.
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

Json cpu_facts(const Sources& sources);
Json memory_facts(const Sources& sources);
Json system_facts(const Sources& sources);
Json load_facts(const Sources& sources);
Json confinement_facts(const Sources& sources);
Json process_facts(const Sources& sources);

}  // namespace assay::env
