// SPDX-License-Identifier: MIT
#include "assay/env/differences.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/env/facts.hpp"
#include "assay/env/text.hpp"

namespace assay::env {
namespace {

using Facts = std::vector<std::pair<std::string, Json>>;

// A reading without what says nothing of the machine: where it was read, and in which words it
// could not be.
Json essence(const Json& reading) {
  Json kept = Json::object();
  for (const char* key : {"value", "missing", "is_complete"}) {
    if (reading.contains(key)) kept[key] = reading.at(key);
  }
  return kept;
}

// Every reading under its path; what stands there as a bare value counts as one.
void flatten(const Json& json, const std::string& path, Facts& facts) {
  if (is_reading(json)) {
    facts.emplace_back(path, essence(json));
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      flatten(value, path.empty() ? key : path + "." + key, facts);
    }
  } else if (json.is_array() && path == "builds") {
    // By the builds' names, so that another order is no difference; of one name each by its place
    // among them, so that none hides the others.
    std::map<std::string, int> seen;
    for (const Json& build : json) {
      const bool is_named =
          build.is_object() && build.contains("build") && build["build"].is_string();
      const std::string name = is_named ? build["build"].get<std::string>() : "unnamed";
      const int number = ++seen[name];
      flatten(build, path + "." + name + (number == 1 ? "" : "#" + std::to_string(number)), facts);
    }
  } else {
    facts.emplace_back(path, Json{{"value", json}});
  }
}

Facts facts_of(const Json& environment) {
  if (!environment.is_object() || !environment.contains("format") ||
      !environment["format"].is_string() || environment["format"].get<std::string>().empty()) {
    throw Error(ErrorKind::bad_input, "this is no environment: it has no \"format\"");
  }
  Facts facts;
  for (const auto& [section, content] : environment.items()) {
    // How the facts are laid out, and what is made of them.
    if (section == "format" || section == "machine_fingerprint") continue;
    flatten(content, section, facts);
  }
  return facts;
}

using Places = std::map<std::string, const Json*, std::less<>>;

Places places_of(const Facts& facts) {
  Places places;
  for (const auto& [fact, value] : facts) places.emplace(fact, &value);
  return places;
}

const Json* find(const Places& places, const std::string& fact) {
  const auto found = places.find(fact);
  return found == places.end() ? nullptr : found->second;
}

struct Rule {
  std::string_view prefix;
  Weight weight;
};

// The first that fits counts; a section's rule stands after those of its facts.
constexpr std::array<Rule, 42> rules{{
    {"cpu.model", Weight::machine},
    {"cpu.kind", Weight::machine},
    {"cpu.vendor", Weight::machine},
    {"cpu.features", Weight::machine},
    {"cpu.virtual", Weight::machine},
    {"cpu.present_cpus", Weight::machine},
    {"cpu.microcode", Weight::system},
    {"cpu.numa_nodes", Weight::machine},
    {"cpu.", Weight::clocks},
    {"topology.", Weight::machine},
    {"system.architecture", Weight::machine},
    {"accelerators.nvidia_driver", Weight::system},
    {"accelerators.cuda_toolkit", Weight::system},
    {"accelerators.", Weight::machine},
    {"confinement.hypervisor", Weight::machine},
    {"confinement.product", Weight::machine},
    {"confinement.vendor", Weight::machine},
    {"confinement.wsl", Weight::machine},
    {"confinement.cgroup_cpus", Weight::clocks},
    {"confinement.cgroup_cpuset", Weight::clocks},
    {"confinement.cgroup_cpu_weight", Weight::clocks},
    {"confinement.cgroup_memory_bytes", Weight::memory},
    {"confinement.quota_periods", Weight::moment},
    {"confinement.throttled_periods", Weight::moment},
    {"confinement.throttled_ns", Weight::moment},
    {"confinement.", Weight::system},
    {"assay.", Weight::code},
    {"system.hostname", Weight::identity},
    {"system.machine_id_digest", Weight::identity},
    {"system.boot_utc_s", Weight::moment},
    {"system.", Weight::system},
    {"memory.total_bytes", Weight::machine},
    {"memory.available_bytes", Weight::moment},
    {"memory.swap_free_bytes", Weight::moment},
    {"memory.huge_pages_free", Weight::moment},
    {"memory.", Weight::memory},
    {"load.", Weight::moment},
    {"process.command_line", Weight::identity},
    {"process.", Weight::process},
    {"command_line", Weight::identity},
    {"libraries", Weight::code},
    {"builds.", Weight::code},
}};

}  // namespace

std::string_view name(Weight weight) {
  constexpr std::array<std::string_view, 8> names = {"machine", "code",    "clocks",   "system",
                                                     "memory",  "process", "identity", "moment"};
  return names[static_cast<std::size_t>(weight)];
}

std::string_view heading(Weight weight) {
  constexpr std::array<std::string_view, 8> headings = {
      "Another machine: times cannot be compared",
      "Other machine code",
      "Clocks and sharing of the cores",
      "Kernel, microcode, libraries, drivers",
      "Memory: pages, nodes, limits",
      "How the process was started",
      "Names, which move no time",
      "Of the moment: other from one second to the next"};
  return headings[static_cast<std::size_t>(weight)];
}

Weight weight_of(std::string_view fact) {
  // Another place of the same program moves no time.
  if (fact.substr(0, 7) == "builds." && fact.size() >= 5 &&
      fact.substr(fact.size() - 5) == ".file") {
    return Weight::identity;
  }
  for (const Rule& rule : rules) {
    if (fact.substr(0, rule.prefix.size()) == rule.prefix) return rule.weight;
  }
  return Weight::system;
}

std::vector<Difference> differences(const Json& before, const Json& after) {
  const Facts old_facts = facts_of(before);
  const Facts new_facts = facts_of(after);
  const Places before_by_name = places_of(old_facts);
  const Places after_by_name = places_of(new_facts);
  std::vector<Difference> all;
  const auto add = [&](const std::string& fact, const Json* a, const Json* b) {
    if (a != nullptr && b != nullptr && *a == *b) return;
    all.push_back({weight_of(fact), fact, a == nullptr ? Json() : *a, b == nullptr ? Json() : *b});
  };
  for (const auto& [fact, value] : old_facts) add(fact, &value, find(after_by_name, fact));
  for (const auto& [fact, value] : new_facts) {
    if (find(before_by_name, fact) == nullptr) add(fact, nullptr, &value);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Difference& a, const Difference& b) { return a.weight < b.weight; });
  return all;
}

std::string differences_text(const std::vector<Difference>& all) {
  if (all.empty()) return "The two environments agree.\n";
  std::string text;
  std::string one_sided;
  const Difference* last = nullptr;
  for (const Difference& each : all) {
    if (each.before.is_null() || each.after.is_null()) {
      one_sided +=
          "  " + each.fact + ": only in the " + (each.before.is_null() ? "second" : "first") + "\n";
      continue;
    }
    if (last == nullptr || last->weight != each.weight) {
      text += (text.empty() ? "" : "\n") + std::string(heading(each.weight)) + "\n";
    }
    text += "  " + each.fact + ": " + value_text(each.fact, each.before) + " → " +
            value_text(each.fact, each.after) + "\n";
    last = &each;
  }
  if (one_sided.empty()) return text;
  return text + (text.empty() ? "" : "\n") + "Not recorded on both sides, so not compared\n" +
         one_sided;
}

Json to_json(const std::vector<Difference>& all) {
  Json list = Json::array();
  for (const Difference& each : all) {
    list.push_back(Json{{"weight", name(each.weight)},
                        {"fact", each.fact},
                        {"before", each.before},
                        {"after", each.after}});
  }
  return list;
}

}  // namespace assay::env
