// SPDX-License-Identifier: MIT
#include "assay/env/environment.hpp"

#include "assay/base/digest.hpp"
#include "assay/env/sources.hpp"

namespace assay::env {
namespace {

const Json* member(const Json* json, const char* name) {
  if (json == nullptr || !json->is_object() || !json->contains(name)) return nullptr;
  return &json->at(name);
}

// A fact as text that differs when it does; one that is missing is told apart by its reason.
std::string fact(const Json& environment, const char* section, const char* name) {
  const Json* reading = member(member(&environment, section), name);
  if (const Json* value = member(reading, "value")) return "value " + value->dump();
  if (const Json* missing = member(reading, "missing")) return "missing " + missing->dump();
  return "absent";
}

// The kernel keeps some memory for itself, a little more or less after each boot.
std::string memory_gib(const Json& environment) {
  const Json* value = member(member(member(&environment, "memory"), "total_bytes"), "value");
  if (value == nullptr || !value->is_number_integer()) return "missing";
  const auto bytes = value->get<std::int64_t>();
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  return std::to_string(bytes / gib + (bytes % gib >= gib / 2 ? 1 : 0));
}

}  // namespace

Json environment_of_this_machine(const std::filesystem::path& root) {
  const Sources sources(root);
  return Json{{"format", environment_format},     {"system", system_facts(sources)},
              {"cpu", cpu_facts(sources)},        {"memory", memory_facts(sources)},
              {"load", load_facts(sources)},      {"confinement", confinement_facts(sources)},
              {"process", process_facts(sources)}};
}

std::string machine_fingerprint(const Json& environment) {
  ASSAY_EXPECTS(environment.is_object());
  std::string text;
  for (const char* name : {"hostname", "architecture", "kernel"}) {
    text += fact(environment, "system", name) + "\n";
  }
  for (const char* name : {"model", "online_cpus"}) {
    text += fact(environment, "cpu", name) + "\n";
  }
  return sha256_hex(text + memory_gib(environment) + "\n");
}

}  // namespace assay::env
