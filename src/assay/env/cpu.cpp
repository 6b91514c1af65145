// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <set>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

constexpr const char* cpuinfo = "/proc/cpuinfo";

std::string cpus(const std::string& file) {
  std::string path = "/sys/devices/system/cpu";
  return path += file;
}

Reading<std::string> model(const Sources& sources) {
  auto name = sources.field(cpuinfo, "model name", ':');
  if (name) return name;
  // Arm's kernel gives numbers in place of a name.
  const auto implementer = sources.field(cpuinfo, "CPU implementer", ':');
  const auto part = sources.field(cpuinfo, "CPU part", ':');
  if (!implementer || !part) return name;
  return "implementer " + *implementer + " part " + *part;
}

Reading<std::string> vendor(const Sources& sources) {
  auto name = sources.field(cpuinfo, "vendor_id", ':');
  return name ? name : sources.field(cpuinfo, "CPU implementer", ':');
}

// "6-143-8": family, model, stepping; Arm's architecture, part and revision.
Reading<std::string> kind(const Sources& sources) {
  using Keys = std::array<const char*, 3>;
  for (const Keys& keys : {Keys{"cpu family", "model", "stepping"},
                           Keys{"CPU architecture", "CPU part", "CPU revision"}}) {
    std::string joined;
    for (const char* key : keys) {
      const auto value = sources.field(cpuinfo, key, ':');
      if (value) joined += (joined.empty() ? "" : "-") + *value;
    }
    if (!joined.empty()) return joined;
  }
  return Missing{"no-such-field", "/proc/cpuinfo tells no family, model or part"};
}

// What decides which code a library or a compiler chooses, of all the flags.
constexpr std::array<const char*, 25> features_that_matter = {
    "sse4_2",   "avx",      "avx2",     "fma",         "f16c",     "bmi2",        "avx512f",
    "avx512dq", "avx512bw", "avx512vl", "avx512_vnni", "avx_vnni", "avx512_bf16", "avx512_fp16",
    "amx_tile", "amx_int8", "amx_bf16", "clflushopt",  "asimd",    "asimddp",     "fphp",
    "sve",      "sve2",     "bf16",     "i8mm"};

Reading<Json> features(const Sources& sources) {
  auto flags = sources.field(cpuinfo, "flags", ':');
  if (!flags) flags = sources.field(cpuinfo, "Features", ':');
  if (!flags) return flags.missing();
  const auto all = split(*flags, ' ');
  Json found = Json::array();
  for (const char* feature : features_that_matter) {
    if (std::find(all.begin(), all.end(), feature) != all.end()) found.push_back(feature);
  }
  return found;
}

Reading<bool> has_flags(const Sources& sources, const std::vector<std::string>& wanted) {
  const auto flags = sources.field(cpuinfo, "flags", ':');
  if (!flags) return flags.missing();
  const auto all = split(*flags, ' ');
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& flag) {
    return std::find(all.begin(), all.end(), flag) != all.end();
  });
}

template <typename T>
Reading<std::int64_t> count_of(const Reading<std::vector<T>>& list) {
  return list.transform([](const auto& all) { return static_cast<std::int64_t>(all.size()); });
}

Reading<std::vector<int>> list(const Reading<std::string>& text) {
  if (!text) return text.missing();
  return list_from(*text);
}

// Lists of the kernel that are empty where there is no such processor.
Json list_or_none(const Sources& sources, const std::string& file) {
  return sourced(sources.word(file).transform([](const std::string& text) {
    // Some kernels print a list that was never made as printf does.
    return text.empty() || text == "(null)" ? "none" : text;
  }),
                 file);
}

std::string file_of(int cpu, const std::string& file) {
  std::string path = cpus("/cpu");
  path += std::to_string(cpu);
  return path += file;
}

// What every processor that is online has in the file; several values are joined by commas.
Json of_all(const Sources& sources, const Reading<std::vector<int>>& online,
            const std::string& file) {
  const std::string source = cpus("/cpu*" + file);
  if (!online) return sourced(Reading<std::string>(online.missing()), source);
  std::set<std::string> values;
  for (const int cpu : *online) {
    const auto value = sources.word(file_of(cpu, file));
    if (!value) return sourced(value, source);
    values.insert(*value);
  }
  std::string joined;
  for (const auto& value : values) joined += (joined.empty() ? "" : ",") + value;
  return sourced(Reading<std::string>(joined), source);
}

// The lowest or the highest of all online processors' values in kHz, in Hz.
Json frequency(const Sources& sources, const Reading<std::vector<int>>& online,
               const std::string& file, bool highest) {
  const std::string source = cpus("/cpu*" + file);
  if (!online) return sourced(Reading<std::int64_t>(online.missing()), source);
  std::vector<std::int64_t> values;
  for (const int cpu : *online) {
    const auto value = sources.integer(file_of(cpu, file));
    if (!value) return sourced(value, source);
    constexpr std::int64_t most_khz = 1'000'000'000;
    if (*value <= 0 || *value > most_khz) {
      return sourced(Reading<std::int64_t>(not_understood(std::to_string(*value))), source);
    }
    values.push_back(*value * 1000);
  }
  if (values.empty()) return sourced(Reading<std::int64_t>(not_understood("")), source);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return sourced(Reading<std::int64_t>(highest ? *most : *least), source);
}

Json turbo(const Sources& sources) {
  const std::string intel = cpus("/intel_pstate/no_turbo");
  const std::string others = cpus("/cpufreq/boost");
  const auto off = sources.integer(intel);
  if (off) return sourced(Reading<bool>(*off == 0), intel);
  return sourced(sources.integer(others).transform([](std::int64_t on) { return on != 0; }),
                 others);
}

Json numa_nodes(const Sources& sources) {
  const std::string file = "/sys/devices/system/node/online";
  return sourced(count_of(list(sources.word(file))), file);
}

}  // namespace

Json cpu_facts(const Sources& sources) {
  const std::string online_file = cpus("/online");
  const std::string smt_file = cpus("/smt/active");
  const std::string idle_file = cpus("/cpuidle/current_driver");
  const auto online = list(sources.word(online_file));
  const auto allowed = sources.field("/proc/self/status", "Cpus_allowed_list", ':');
  const auto smt =
      sources.integer(smt_file).transform([](std::int64_t active) { return active != 0; });
  return Json{
      {"model", sourced(model(sources), "/proc/cpuinfo: model name")},
      {"vendor", sourced(vendor(sources), "/proc/cpuinfo: vendor_id")},
      {"kind", sourced(kind(sources), "/proc/cpuinfo: cpu family, model, stepping")},
      {"microcode", sourced(sources.field(cpuinfo, "microcode", ':'), "/proc/cpuinfo: microcode")},
      {"features", sourced(features(sources), "/proc/cpuinfo: flags")},
      {"online_cpus", sourced(count_of(online), online_file)},
      {"present_cpus", sourced(count_of(list(sources.word(cpus("/present")))), cpus("/present"))},
      {"offline", list_or_none(sources, cpus("/offline"))},
      {"isolated", list_or_none(sources, cpus("/isolated"))},
      {"tickless", list_or_none(sources, cpus("/nohz_full"))},
      {"allowed_cpus", sourced(allowed, "/proc/self/status: Cpus_allowed_list")},
      {"allowed_cpu_count",
       sourced(count_of(list(allowed)), "/proc/self/status: Cpus_allowed_list")},
      {"smt_active", sourced(smt, smt_file)},
      {"frequency_driver", of_all(sources, online, "/cpufreq/scaling_driver")},
      {"governor", of_all(sources, online, "/cpufreq/scaling_governor")},
      {"energy_preference", of_all(sources, online, "/cpufreq/energy_performance_preference")},
      {"lowest_hz", frequency(sources, online, "/cpufreq/cpuinfo_min_freq", false)},
      {"highest_hz", frequency(sources, online, "/cpufreq/cpuinfo_max_freq", true)},
      {"lower_limit_hz", frequency(sources, online, "/cpufreq/scaling_min_freq", false)},
      {"upper_limit_hz", frequency(sources, online, "/cpufreq/scaling_max_freq", true)},
      {"turbo", turbo(sources)},
      {"idle_driver", sourced(sources.word(idle_file), idle_file)},
      {"steady_counter", sourced(has_flags(sources, {"constant_tsc", "nonstop_tsc"}),
                                 "/proc/cpuinfo: flags: constant_tsc nonstop_tsc")},
      {"numa_nodes", numa_nodes(sources)},
      {"virtual", sourced(has_flags(sources, {"hypervisor"}), "/proc/cpuinfo: flags: hypervisor")}};
}

}  // namespace assay::env
