// SPDX-License-Identifier: MIT
#include "assay/env/environment.hpp"

#include "assay/base/digest.hpp"
#include "assay/env/facts.hpp"

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

bool is_known(const Json& environment, const char* section, const char* name) {
  return member(member(member(&environment, section), name), "value") != nullptr;
}

}  // namespace

Json environment_of_this_machine(const std::filesystem::path& root) {
  const Sources sources(root);
  return Json{{"format", environment_format},
              {"system", system_facts(sources)},
              {"cpu", cpu_facts(sources)},
              {"topology", topology_facts(sources)},
              {"memory", memory_facts(sources)},
              {"accelerators", accelerator_facts(sources)},
              {"confinement", confinement_facts(sources)},
              {"load", load_facts(sources)},
              {"process", process_facts(sources)},
              {"assay", assay_facts()}};
}

std::string machine_fingerprint(const Json& environment) {
  ASSAY_EXPECTS(environment.is_object());
  std::string text;
  for (const char* name : {"machine_id_digest", "architecture", "kernel"}) {
    text += fact(environment, "system", name) + "\n";
  }
  // A container is given another name each time that it is started.
  if (!is_known(environment, "confinement", "container")) {
    text += fact(environment, "system", "hostname") + "\n";
  }
  for (const char* name : {"model", "kind", "microcode", "online_cpus"}) {
    text += fact(environment, "cpu", name) + "\n";
  }
  text += fact(environment, "confinement", "hypervisor") + "\n";
  return sha256_hex(text);
}

}  // namespace assay::env
