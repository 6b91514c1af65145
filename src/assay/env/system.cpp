// SPDX-License-Identifier: MIT
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "assay/base/digest.hpp"
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

Json word(const Sources& sources, const std::string& path) {
  return sourced(sources.word(path), path);
}

Json integer(const Sources& sources, const std::string& path) {
  return sourced(sources.integer(path), path);
}

Reading<std::string> os_name(const Sources& sources) {
  return sources.field("/etc/os-release", "PRETTY_NAME", '=')
      .transform([](const std::string& quoted) {
        const bool has_quotes = quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"';
        return has_quotes ? quoted.substr(1, quoted.size() - 2) : quoted;
      });
}

std::string architecture() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

// Of what was said at boot only what moves times: the rest names disks and may hold keys.
Reading<Json> boot_parameters(const Sources& sources) {
  constexpr std::array<std::string_view, 26> known = {"isolcpus",
                                                      "nohz",
                                                      "nohz_full",
                                                      "rcu_nocbs",
                                                      "mitigations",
                                                      "intel_pstate",
                                                      "amd_pstate",
                                                      "cpufreq.off",
                                                      "idle",
                                                      "intel_idle.max_cstate",
                                                      "nosmt",
                                                      "maxcpus",
                                                      "nr_cpus",
                                                      "processor.max_cstate",
                                                      "preempt",
                                                      "hugepages",
                                                      "hugepagesz",
                                                      "default_hugepagesz",
                                                      "transparent_hugepage",
                                                      "numa_balancing",
                                                      "numa",
                                                      "tsc",
                                                      "clocksource",
                                                      "irqaffinity",
                                                      "skew_tick",
                                                      "nmi_watchdog"};
  const auto text = sources.word("/proc/cmdline");
  if (!text) return text.missing();
  Json found = Json::array();
  for (const auto& parameter : split(*text, ' ')) {
    if (parameter == "--") break;  // what follows is for the first process
    const std::string name = parameter.substr(0, parameter.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) found.push_back(parameter);
  }
  return found;
}

// What the kernel does against leaks through the processor, which makes system calls, page faults
// and switches longer.
Reading<Json> mitigations(const Sources& sources) {
  const std::string folder = "/sys/devices/system/cpu/vulnerabilities";
  const auto names = sources.names(folder);
  if (names.empty()) return Missing{"no-such-file", "nothing is listed in " + folder};
  Json all = Json::object();
  for (const auto& name : names) {
    const auto text = sources.word(folder + "/" + name);
    if (text && *text != "Not affected") all[as_utf8(name)] = *text;
  }
  return all;
}

Reading<std::int64_t> boot_utc_s(const Sources& sources) {
  const auto text = sources.field("/proc/stat", "btime", ' ');
  if (!text) return text.missing();
  return integer_from(*text);
}

// The machine's id is not for publication; its digest tells machines apart as well.
Reading<std::string> machine_id_digest(const Sources& sources) {
  const auto id = sources.word("/etc/machine-id");
  if (!id) return id.missing();
  constexpr std::size_t digits = 32;
  if (id->size() != digits) return Missing{"not-set", "/etc/machine-id holds no id"};
  return sha256_hex("assay machine " + *id);
}

}  // namespace

Json system_facts(const Sources& sources) {
  return Json{
      {"hostname", word(sources, "/proc/sys/kernel/hostname")},
      {"machine_id_digest",
       sourced(machine_id_digest(sources), "/etc/machine-id: SHA-256 of it with a prefix")},
      {"architecture", sourced(Reading<std::string>(architecture()), "uname")},
      {"kernel", word(sources, "/proc/sys/kernel/osrelease")},
      {"kernel_build", word(sources, "/proc/sys/kernel/version")},
      {"os", sourced(os_name(sources), "/etc/os-release: PRETTY_NAME")},
      {"libc", sourced(Reading<std::string>(std::string("glibc ") + gnu_get_libc_version()),
                       "gnu_get_libc_version")},
      {"boot_parameters", sourced(boot_parameters(sources), "/proc/cmdline")},
      {"boot_utc_s", sourced(boot_utc_s(sources), "/proc/stat: btime")},
      {"clock_source",
       word(sources, "/sys/devices/system/clocksource/clocksource0/current_clocksource")},
      {"mitigations", sourced(mitigations(sources), "/sys/devices/system/cpu/vulnerabilities")},
      {"address_space_randomisation", integer(sources, "/proc/sys/kernel/randomize_va_space")},
      {"perf_event_paranoid", integer(sources, "/proc/sys/kernel/perf_event_paranoid")},
      {"watchdog", integer(sources, "/proc/sys/kernel/nmi_watchdog")}};
}

}  // namespace assay::env
