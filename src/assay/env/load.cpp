// SPDX-License-Identifier: MIT
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

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

// "0.75 0.50 0.25 1/100 1234": the means over 1, 5 and 15 minutes, then tasks that run / all.
Reading<double> load_over(const Sources& sources, std::size_t which) {
  const auto text = sources.word("/proc/loadavg");
  if (!text) return text.missing();
  const auto parts = split(*text, ' ');
  if (parts.size() <= which) return not_understood(*text);
  return number_from(parts[which]);
}

Reading<std::int64_t> running_tasks(const Sources& sources) {
  const auto text = sources.word("/proc/loadavg");
  if (!text) return text.missing();
  const auto parts = split(*text, ' ');
  const auto slash = parts.size() < 4 ? std::string::npos : parts[3].find('/');
  if (slash == std::string::npos) return not_understood(*text);
  return integer_from(std::string_view(parts[3]).substr(0, slash));
}

// Share of the last ten seconds in which some task waited for the resource ("some avg10").
Json pressure(const Sources& sources, const std::string& resource) {
  const std::string file = "/proc/pressure/" + resource;
  const auto text = sources.text(file);
  const auto reading = [&]() -> Reading<double> {
    if (!text) return text.missing();
    constexpr std::string_view before = "some avg10=";
    const auto at = text->find(before);
    if (at == std::string::npos) return not_understood(*text);
    const auto begin = at + before.size();
    const auto percent = number_from(text->substr(begin, text->find(' ', begin) - begin));
    if (!percent) return percent.missing();
    if (*percent < 0 || *percent > 100) return not_understood(*text);
    return *percent / 100;
  };
  return sourced(reading(), file + ": some avg10");
}

}  // namespace

Json load_facts(const Sources& sources) {
  const auto load = [&](std::size_t which) {
    return sourced(load_over(sources, which), "/proc/loadavg");
  };
  return Json{{"load_1min", load(0)},
              {"load_5min", load(1)},
              {"load_15min", load(2)},
              {"running_tasks", sourced(running_tasks(sources), "/proc/loadavg")},
              {"steal_frac_since_boot", sourced(steal_frac(sources), "/proc/stat")},
              {"pressure_cpu_frac", pressure(sources, "cpu")},
              {"pressure_memory_frac", pressure(sources, "memory")},
              {"pressure_io_frac", pressure(sources, "io")}};
}

}  // namespace assay::env
