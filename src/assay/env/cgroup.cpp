// SPDX-License-Identifier: MIT
//
// Control groups: what this process may use. A limit holds for all below it, so each is the lowest
// on the way from this process's group to the top.
#include <functional>

#include "assay/base/control_group.hpp"
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

Missing not_limited() { return Missing{"not-limited", "no limit is in force"}; }

// The lowest limit over the folders. of: the limit that one folder sets; "not-limited" for none.
Json lowest(const Reading<GroupFolders>& place, const std::string& file,
            const std::function<Reading<double>(const std::string& folder)>& of) {
  if (!place) return sourced(Reading<double>(place.missing()), "/proc/self/cgroup");
  Reading<double> found = Missing{"no-such-file", "no group on the way has " + file};
  std::string source = place->folders.front() + "/" + file;
  for (const auto& folder : place->folders) {
    const Reading<double> limit = of(folder);
    if (limit && (!found || *limit < *found)) {
      found = limit;
      source = folder + "/" + file;
    } else if (!limit && !found && found.missing().reason == "no-such-file") {
      found = limit;
    }
  }
  return sourced(found, source);
}

// "150000 100000" of version 2: time in a period. "max": none.
Reading<double> quota_2(const Sources& sources, const std::string& folder) {
  const auto text = sources.word(folder + "/cpu.max");
  if (!text) return text.missing();
  const auto parts = split(*text, ' ');
  if (!parts.empty() && parts[0] == "max") return not_limited();
  if (parts.size() != 2) return not_understood(*text);
  const auto quota = number_from(parts[0]);
  const auto period = number_from(parts[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return not_understood(*text);
  return *quota / *period;
}

Reading<double> quota_1(const Sources& sources, const std::string& folder) {
  const auto quota = sources.integer(folder + "/cpu.cfs_quota_us");
  if (!quota) return quota.missing();
  if (*quota < 0) return not_limited();
  const auto period = sources.integer(folder + "/cpu.cfs_period_us");
  if (!period) return period.missing();
  if (*period <= 0) return not_understood(std::to_string(*period));
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

Json integral(Json json) {
  if (json.contains("value"))
    json["value"] = static_cast<std::int64_t>(json["value"].get<double>());
  return json;
}

// The folder in which the lowest quota stands, whose group is the one that it stops; without a
// quota that of this process's own group.
std::string folder_of_quota(const Json& quota, const Reading<GroupFolders>& place) {
  if (!place) return group_mount_point;
  if (!quota.contains("value")) return place->folders.front();
  const std::string file = quota.at("source").get<std::string>();
  return file.substr(0, file.rfind('/'));
}

// How often, and for how long, the quota held that group back since it was made.
void add_throttling(Json& json, const Sources& sources, const Reading<GroupFolders>& place,
                    const std::string& folder) {
  const std::string file = folder + "/cpu.stat";
  const auto field = [&](const std::string& key) -> Reading<std::int64_t> {
    if (!place) return place.missing();
    const auto text = sources.field(file, key, ' ');
    if (!text) return text.missing();
    return integer_from(*text);
  };
  const bool is_old = place && place->version == 1;
  const std::string time = is_old ? "throttled_time" : "throttled_usec";
  json["quota_periods"] = sourced(field("nr_periods"), file + ": nr_periods");
  json["throttled_periods"] = sourced(field("nr_throttled"), file + ": nr_throttled");
  json["throttled_ns"] = sourced(
      field(time).transform([&](std::int64_t value) { return is_old ? value : value * 1000; }),
      file + ": " + time);
}

// A group without the file has the processors of the nearest one above that has it.
std::string nearest(const Sources& sources, const Reading<GroupFolders>& place,
                    const std::string& file) {
  return place ? nearest_of_group(sources, *place, file)
               : std::string(group_mount_point) + "/" + file;
}

}  // namespace

Json cgroup_facts(const Sources& sources) {
  const auto cpu = group_folders(sources, "cpu");
  const auto memory = group_folders(sources, "memory");
  const auto cpuset = group_folders(sources, "cpuset");
  const bool is_old = cpu && cpu->version == 1;
  Json json;
  json["cgroup_version"] =
      sourced(cpu ? Reading<std::int64_t>(cpu->version) : Reading<std::int64_t>(cpu.missing()),
              "/proc/self/cgroup");
  json["cgroup_cpus"] =
      lowest(cpu, is_old ? "cpu.cfs_quota_us" : "cpu.max", [&](const std::string& folder) {
        return is_old ? quota_1(sources, folder) : quota_2(sources, folder);
      });
  add_throttling(json, sources, cpu, folder_of_quota(json["cgroup_cpus"], cpu));
  const int version = memory ? memory->version : 2;
  json["cgroup_memory_bytes"] = integral(lowest(
      memory, version == 1 ? "memory.limit_in_bytes" : "memory.max",
      [&](const std::string& folder) {
        return group_memory_limit(sources, version, folder).transform([](std::int64_t bytes) {
          return static_cast<double>(bytes);
        });
      }));
  const std::string weight_file =
      (cpu ? cpu->folders.front() : group_mount_point) + (is_old ? "/cpu.shares" : "/cpu.weight");
  json["cgroup_cpu_weight"] = sourced(
      cpu ? sources.integer(weight_file) : Reading<std::int64_t>(cpu.missing()), weight_file);
  const std::string set_file =
      nearest(sources, cpuset,
              cpuset && cpuset->version == 1 ? "cpuset.effective_cpus" : "cpuset.cpus.effective");
  json["cgroup_cpuset"] =
      sourced(cpuset ? sources.word(set_file) : Reading<std::string>(cpuset.missing()), set_file);
  return json;
}

}  // namespace assay::env
