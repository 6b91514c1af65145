// SPDX-License-Identifier: MIT
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "assay/env/sources.hpp"

namespace assay::env {
namespace {

Reading<std::int64_t> bytes(const Reading<std::string>& text) {
  if (!text) return text.missing();
  return bytes_from(*text);
}

Json of_meminfo(const Sources& sources, const std::string& key) {
  return sourced(bytes(sources.field("/proc/meminfo", key, ':')), "/proc/meminfo: " + key);
}

Json word(const Sources& sources, const std::string& path) {
  return sourced(sources.word(path), path);
}

// "always [madvise] never": madvise.
Reading<std::string> chosen(const Reading<std::string>& text) {
  if (!text) return text.missing();
  const auto begin = text->find('[');
  const auto end = text->find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return Missing{"not-understood", "found '" + *text + "'"};
  }
  return text->substr(begin + 1, end - begin - 1);
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

// Share of all processors' time that a hypervisor gave to others, since boot.
Reading<double> steal_frac(const Sources& sources) {
  const auto text = sources.text("/proc/stat");
  if (!text) return text.missing();
  constexpr std::size_t steal = 7;  // user nice system idle iowait irq softirq steal (proc(5))
  std::vector<double> ticks;
  for (const auto& part : split(text->substr(0, text->find('\n')), ' ')) {
    if (part.empty() || part == "cpu") continue;
    const auto number = number_from(part);
    if (!number) return number.missing();
    ticks.push_back(*number);
  }
  if (ticks.size() <= steal) return Missing{"no-such-field", "/proc/stat has no steal time"};
  double total = 0;
  for (std::size_t i = 0; i <= steal; ++i) total += ticks[i];  // guest time is within user time
  if (total <= 0) return Missing{"not-understood", "/proc/stat counts no time"};
  return ticks[steal] / total;
}

Reading<double> load_1min(const Sources& sources) {
  const auto text = sources.word("/proc/loadavg");
  if (!text) return text.missing();
  return number_from(text->substr(0, text->find(' ')));
}

Reading<std::string> container(const Sources& sources) {
  if (sources.exists("/.dockerenv")) return std::string("docker");
  if (sources.exists("/run/.containerenv")) return std::string("podman");
  const auto groups = sources.text("/proc/1/cgroup");
  if (!groups) return groups.missing();
  for (const char* name : {"kubepods", "docker", "containerd", "lxc", "libpod"}) {
    if (groups->find(name) != std::string::npos) return std::string(name);
  }
  return Missing{"not-found", "no sign of a container; some leave none"};
}

Missing not_limited() { return Missing{"not-limited", "no quota is in force"}; }

// Processors' worth of time that the control group may use: quota / period.
Json cgroup_cpus(const Sources& sources) {
  const auto group = sources.field("/proc/self/cgroup", "0", ':');
  std::string below = group ? group->substr(std::min(group->find('/'), group->size())) : "";
  if (below == "/") below.clear();
  std::string file = "/sys/fs/cgroup" + below + "/cpu.max";
  // In a container the file lies at the top, whatever the group is called outside.
  if (!sources.exists(file)) file = "/sys/fs/cgroup/cpu.max";
  const auto text = sources.word(file);
  if (text) {
    const auto parts = split(*text, ' ');
    if (!parts.empty() && parts[0] == "max") return sourced(Reading<double>(not_limited()), file);
    const auto quota = parts.size() == 2 ? number_from(parts[0]) : Missing{"not-understood", *text};
    const auto period = parts.size() == 2 ? number_from(parts[1]) : quota;
    if (!quota || !period || *period <= 0) {
      return sourced(Reading<double>(Missing{"not-understood", "found '" + *text + "'"}), file);
    }
    return sourced(Reading<double>(*quota / *period), file);
  }
  const std::string old = "/sys/fs/cgroup/cpu/cpu.cfs_quota_us";
  const auto quota = sources.integer(old);
  const auto period = sources.integer("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (!quota || !period || *period <= 0) {
    return sourced(Reading<double>(text.missing()), file);
  }
  if (*quota < 0) return sourced(Reading<double>(not_limited()), old);
  return sourced(Reading<double>(static_cast<double>(*quota) / static_cast<double>(*period)), old);
}

// What changes how a program is loaded, allocates, uses threads or finds devices. The rest of the
// environment is nobody's business and may hold secrets.
bool matters(std::string_view variable) {
  constexpr std::array<std::string_view, 18> prefixes = {
      "OMP_",      "GOMP_",          "KMP_",    "MKL_",
      "OPENBLAS_", "BLIS_",          "MALLOC_", "GLIBC_TUNABLES=",
      "LD_",       "CUDA_",          "NVIDIA_", "HIP_",
      "ROCR_",     "OCL_",           "POCL_",   "ASSAY_",
      "TBB_",      "PYTHONHASHSEED="};
  return std::any_of(prefixes.begin(), prefixes.end(), [variable](std::string_view prefix) {
    return variable.substr(0, prefix.size()) == prefix;
  });
}

}  // namespace

Json memory_facts(const Sources& sources) {
  const std::string huge = "/sys/kernel/mm/transparent_hugepage/enabled";
  return Json{{"total_bytes", of_meminfo(sources, "MemTotal")},
              {"available_bytes", of_meminfo(sources, "MemAvailable")},
              {"swap_total_bytes", of_meminfo(sources, "SwapTotal")},
              {"transparent_huge_pages", sourced(chosen(sources.word(huge)), huge)}};
}

Json system_facts(const Sources& sources) {
  const std::string aslr = "/proc/sys/kernel/randomize_va_space";
  const std::string paranoid = "/proc/sys/kernel/perf_event_paranoid";
  return Json{{"hostname", word(sources, "/proc/sys/kernel/hostname")},
              {"architecture", sourced(Reading<std::string>(architecture()), "uname")},
              {"kernel", word(sources, "/proc/sys/kernel/osrelease")},
              {"os", sourced(os_name(sources), "/etc/os-release: PRETTY_NAME")},
              {"libc", sourced(Reading<std::string>(std::string("glibc ") + gnu_get_libc_version()),
                               "gnu_get_libc_version")},
              {"address_space_randomisation", sourced(sources.integer(aslr), aslr)},
              {"perf_event_paranoid", sourced(sources.integer(paranoid), paranoid)}};
}

Json load_facts(const Sources& sources) {
  return Json{{"load_1min", sourced(load_1min(sources), "/proc/loadavg")},
              {"steal_frac_since_boot", sourced(steal_frac(sources), "/proc/stat")}};
}

Json confinement_facts(const Sources& sources) {
  return Json{{"container", sourced(container(sources), "/.dockerenv, /proc/1/cgroup")},
              {"vendor", word(sources, "/sys/class/dmi/id/sys_vendor")},
              {"product", word(sources, "/sys/class/dmi/id/product_name")},
              {"cgroup_cpus", cgroup_cpus(sources)}};
}

Json process_facts(const Sources& sources) {
  const auto parts_of = [&sources](const std::string& path) {
    return sources.text(path).transform([](const std::string& text) { return split(text, '\0'); });
  };
  const std::string command = "/proc/self/cmdline";
  const std::string variables = "/proc/self/environ";
  Json line = sourced(parts_of(command).transform([](const auto& parts) {
    Json words = Json::array();
    for (const auto& part : parts) words.push_back(as_utf8(part));
    return words;
  }),
                      command);
  Json kept = sourced(parts_of(variables).transform([](const auto& parts) {
    Json values = Json::object();
    for (const auto& part : parts) {
      const auto equals = part.find('=');
      if (equals == std::string::npos || !matters(part)) continue;
      values[as_utf8(part.substr(0, equals))] = as_utf8(part.substr(equals + 1));
    }
    return values;
  }),
                      variables);
  return Json{{"command_line", std::move(line)}, {"variables", std::move(kept)}};
}

}  // namespace assay::env
