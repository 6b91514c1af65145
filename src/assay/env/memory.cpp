// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

Json of_meminfo(const Sources& sources, const std::string& key) {
  const auto text = sources.field("/proc/meminfo", key, ':');
  return sourced(text ? bytes_from(*text) : Reading<std::int64_t>(text.missing()),
                 "/proc/meminfo: " + key);
}

Json chosen(const Sources& sources, const std::string& file) {
  const auto text = sources.word(file);
  return sourced(text ? chosen_from(*text) : Reading<std::string>(text.missing()), file);
}

Json integer(const Sources& sources, const std::string& file) {
  return sourced(sources.integer(file), file);
}

// The policy of this process's own memory: the second word of each of its mappings. Several are
// joined by commas.
Json policy(const Sources& sources) {
  const std::string file = "/proc/self/numa_maps";
  const auto text = sources.text(file);
  if (!text) return sourced(text, file);
  std::vector<std::string> found;
  for (const auto& line : split(*text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 2) continue;
    if (std::find(found.begin(), found.end(), words[1]) == found.end()) found.push_back(words[1]);
  }
  std::string joined;
  for (const auto& each : found) joined += (joined.empty() ? "" : ",") + each;
  if (joined.empty()) return sourced(Reading<std::string>(not_understood(*text)), file);
  return sourced(Reading<std::string>(as_utf8(joined)), file);
}

}  // namespace

Json memory_facts(const Sources& sources) {
  const std::string huge = "/sys/kernel/mm/transparent_hugepage";
  return Json{
      {"total_bytes", of_meminfo(sources, "MemTotal")},
      {"available_bytes", of_meminfo(sources, "MemAvailable")},
      {"swap_total_bytes", of_meminfo(sources, "SwapTotal")},
      {"swap_free_bytes", of_meminfo(sources, "SwapFree")},
      {"transparent_huge_pages", chosen(sources, huge + "/enabled")},
      {"huge_page_defragmentation", chosen(sources, huge + "/defrag")},
      {"huge_page_bytes", of_meminfo(sources, "Hugepagesize")},
      {"huge_pages_free", of_meminfo(sources, "HugePages_Free")},
      {"huge_pages_total", of_meminfo(sources, "HugePages_Total")},
      {"numa_balancing", integer(sources, "/proc/sys/kernel/numa_balancing")},
      {"numa_policy", policy(sources)},
      {"allowed_nodes", sourced(sources.field("/proc/self/status", "Mems_allowed_list", ':'),
                                "/proc/self/status: Mems_allowed_list")}};
}

}  // namespace assay::env
