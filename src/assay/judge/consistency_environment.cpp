// SPDX-License-Identifier: MIT
//
// environment.json: the fingerprint of the machine that it tells of, the programs that the plan
// names; and what of plan.json and calibration.json such a machine cannot have.
#include <fmt/format.h>

#include <algorithm>

#include "assay/base/counted.hpp"
#include "assay/env/environment.hpp"
#include "assay/judge/consistency_parts.hpp"

namespace assay::judge::detail {
namespace {

const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

void check_fingerprint(const record::Record& record, const Json& environment, Differences& found) {
  const Json* stored = member(environment, "machine_fingerprint");
  if (stored == nullptr) {
    if (record.is_sealed) found.add("fingerprint", "no machine_fingerprint");
    return;
  }
  const std::string computed = env::machine_fingerprint(environment);
  if (*stored == computed) return;
  found.add("fingerprint", fmt::format("machine_fingerprint is {}; its facts give \"{}\"",
                                       stored->dump(), computed));
}

// The facts of the build of that name.
const Json* build_of(const Json& builds, const std::string& name) {
  const auto found = std::find_if(builds.begin(), builds.end(), [&](const Json& each) {
    const Json* build = member(each, "build");
    return build != nullptr && *build == name;
  });
  return found == builds.end() ? nullptr : &*found;
}

// The facts are of the program that describes itself: of a build's layouts the first.
void check_builds(const record::Record& record, const Json& environment, Differences& found) {
  const experiment::Plan& plan = record.evidence.plan;
  const Json* builds = member(environment, "builds");
  if (builds == nullptr || !builds->is_array()) {
    if (record.is_sealed) found.add("builds", "no builds");
    return;
  }
  std::vector<std::string> names;
  for (const auto& command : plan.commands) names.push_back(command.name);
  if (!plan.is_of_commands()) {
    for (const auto& build : plan.builds) names.push_back(build.name);
  }
  const auto step = static_cast<std::size_t>(
      plan.is_of_commands() ? 1 : std::max<std::int64_t>(plan.layout_replicates, 1));
  // A plan whose program could not be asked has no digests.
  for (std::size_t i = 0; i < names.size() && i * step < plan.program_digests.size(); ++i) {
    const Json* facts = build_of(*builds, names[i]);
    if (facts == nullptr) {
      found.add("build", "nothing of the build '" + names[i] + "', which the plan has");
      continue;
    }
    const Json* digest = member(*facts, "sha256");
    const Json* value = digest == nullptr ? nullptr : member(*digest, "value");
    if (value == nullptr || *value == plan.program_digests[i * step]) continue;
    found.add("digest",
              fmt::format("the program of the build '{}' has the SHA-256 {}; plan.json has \"{}\"",
                          names[i], value->dump(), plan.program_digests[i * step]));
  }
}

// The ceilings are of this machine, by its fingerprint, and of the cores that the run could use.
void check_ceilings(const record::Record& record, std::vector<std::string>& differences) {
  const experiment::Plan& plan = record.evidence.plan;
  if (!plan.speaks_of_ceilings() || !plan.ceilings || plan.ceilings->are_of_device() ||
      plan.device != "cpu") {
    return;
  }
  const Reading<std::int64_t> online = fact_of(record, "cpu", "online_cpus");
  if (!online || plan.ceilings->cores_allowed <= *online) return;
  differences.push_back(fmt::format(
      "plan.json: ceilings measured where Assay could use {}; environment.json has {} online",
      counted(plan.ceilings->cores_allowed, "core"), *online));
}

void check_memory(const record::Record& record, std::vector<std::string>& differences) {
  const Reading<std::int64_t> total = fact_of(record, "memory", "total_bytes");
  Differences found("calibration.json");
  for (const auto& cell : record.evidence.calibration.cells) {
    for (const auto& [subject, use] : cell.memory) {
      const std::string who = subject + " in " + cell.cell;
      const bool is_of_device = use.capacity_of == "device";
      if (!is_of_device && use.capacity_of != "machine" && use.capacity_of != "control-group") {
        found.add("capacity-of",
                  who + " had the memory of '" + use.capacity_of + "', which there is none of");
      }
      if (is_of_device || !total) continue;
      const auto see = [&](const char* what, const Reading<std::int64_t>& bytes) {
        if (!bytes || *bytes <= *total) return;
        found.add(what, fmt::format("{} has {} of {} bytes; environment.json has {} in all", who,
                                    what, *bytes, *total));
      };
      see("peak_bytes", use.peak_bytes);
      see("remote_bytes", use.remote_bytes);
    }
  }
  found.write(differences);
}

}  // namespace

void check_environment(const record::Record& record, std::vector<std::string>& differences) {
  if (!record.evidence.environment || !record.evidence.environment->is_object()) return;
  const Json& environment = *record.evidence.environment;
  Differences found("environment.json");
  check_fingerprint(record, environment, found);
  check_builds(record, environment, found);
  found.write(differences);
  check_ceilings(record, differences);
  check_memory(record, differences);
}

}  // namespace assay::judge::detail
