// SPDX-License-Identifier: MIT
#include <set>

#include "assay/env/sources.hpp"

namespace assay::env {
namespace {

constexpr const char* cpuinfo = "/proc/cpuinfo";
constexpr const char* cpus = "/sys/devices/system/cpu";

Reading<std::string> model(const Sources& sources) {
  auto name = sources.field(cpuinfo, "model name", ':');
  if (name) return name;
  // Arm's kernel gives numbers in place of a name.
  const auto implementer = sources.field(cpuinfo, "CPU implementer", ':');
  const auto part = sources.field(cpuinfo, "CPU part", ':');
  if (!implementer || !part) return name;
  return "implementer " + *implementer + " part " + *part;
}

template <typename T>
Reading<std::int64_t> count_of(const Reading<std::vector<T>>& list) {
  return list.transform([](const auto& all) { return static_cast<std::int64_t>(all.size()); });
}

Reading<std::vector<int>> list(const Reading<std::string>& text) {
  if (!text) return text.missing();
  return list_from(*text);
}

// What every processor that is online has in the file; several values are joined by commas.
Reading<std::string> of_all(const Sources& sources, const Reading<std::vector<int>>& online,
                            const std::string& file) {
  if (!online) return online.missing();
  std::set<std::string> values;
  for (const int cpu : *online) {
    const auto value = sources.word(std::string(cpus) + "/cpu" + std::to_string(cpu) + file);
    if (!value) return value.missing();
    values.insert(*value);
  }
  std::string joined;
  for (const auto& value : values) joined += (joined.empty() ? "" : ",") + value;
  return joined;
}

Json turbo(const Sources& sources) {
  const std::string intel = std::string(cpus) + "/intel_pstate/no_turbo";
  const std::string others = std::string(cpus) + "/cpufreq/boost";
  const auto off = sources.integer(intel);
  if (off) return sourced(Reading<bool>(*off == 0), intel);
  return sourced(sources.integer(others).transform([](std::int64_t on) { return on != 0; }),
                 others);
}

Json caches(const Sources& sources) {
  const std::string folder = std::string(cpus) + "/cpu0/cache";
  Json list = Json::array();
  for (const auto& name : sources.names(folder)) {
    if (name.rfind("index", 0) != 0) continue;
    const std::string cache = folder + "/" + name;
    const auto level = sources.integer(cache + "/level");
    const auto type = sources.word(cache + "/type");
    const auto size = sources.word(cache + "/size");
    if (!level || !type || !size) continue;
    const auto bytes = bytes_from(*size);
    if (!bytes) continue;
    const auto shared = sources.word(cache + "/shared_cpu_list");
    list.push_back(Json{{"level", *level}, {"type", *type}, {"size_bytes", *bytes}});
    if (shared) list.back()["shared_by_cpus"] = *shared;
  }
  if (list.empty()) {
    return sourced(Reading<Json>(Missing{"no-such-file", "no cache is described there"}), folder);
  }
  return sourced(Reading<Json>(std::move(list)), folder);
}

Json numa_nodes(const Sources& sources) {
  const std::string file = "/sys/devices/system/node/online";
  return sourced(count_of(list(sources.word(file))), file);
}

Json is_virtual(const Sources& sources) {
  const auto flags = sources.field(cpuinfo, "flags", ':');
  return sourced(flags.transform([](const std::string& all) {
    return (" " + all + " ").find(" hypervisor ") != std::string::npos;
  }),
                 "/proc/cpuinfo: flags: hypervisor");
}

}  // namespace

Json cpu_facts(const Sources& sources) {
  const std::string online_file = std::string(cpus) + "/online";
  const std::string smt_file = std::string(cpus) + "/smt/active";
  const auto online = list(sources.word(online_file));
  const auto allowed = sources.field("/proc/self/status", "Cpus_allowed_list", ':');
  const auto smt =
      sources.integer(smt_file).transform([](std::int64_t active) { return active != 0; });
  return Json{
      {"model", sourced(model(sources), "/proc/cpuinfo: model name")},
      {"microcode", sourced(sources.field(cpuinfo, "microcode", ':'), "/proc/cpuinfo: microcode")},
      {"online_cpus", sourced(count_of(online), online_file)},
      {"allowed_cpus", sourced(allowed, "/proc/self/status: Cpus_allowed_list")},
      {"allowed_cpu_count",
       sourced(count_of(list(allowed)), "/proc/self/status: Cpus_allowed_list")},
      {"smt_active", sourced(smt, smt_file)},
      {"governor", sourced(of_all(sources, online, "/cpufreq/scaling_governor"),
                           std::string(cpus) + "/cpu*/cpufreq/scaling_governor")},
      {"turbo", turbo(sources)},
      {"caches", caches(sources)},
      {"numa_nodes", numa_nodes(sources)},
      {"virtual", is_virtual(sources)}};
}

}  // namespace assay::env
