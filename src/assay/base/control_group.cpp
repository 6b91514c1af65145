// SPDX-License-Identifier: MIT
#include "assay/base/control_group.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr const char* own_groups = "/proc/self/cgroup";

std::vector<std::string> up_from(const Sources& sources, const std::string& top,
                                 std::string group) {
  std::vector<std::string> folders;
  // It would lead out of the hierarchy: a group of somebody else's namespace.
  if ((group + "/").find("/../") != std::string::npos) group = "/";
  while (group.size() > 1) {
    if (sources.exists(top + group)) folders.push_back(top + group);
    group.resize(group.rfind('/') == 0 ? 1 : group.rfind('/'));
  }
  folders.push_back(top);
  return folders;
}

}  // namespace

// Lines are "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers.
Reading<GroupFolders> group_folders(const Sources& sources, const std::string& controller) {
  const auto text = sources.text(own_groups);
  if (!text) return text.missing();
  Reading<GroupFolders> unified =
      Missing{"no-such-field", std::string(own_groups) + " names no group for it"};
  for (const auto& line : split(*text, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') {
      continue;
    }
    const std::string names = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const auto controllers = split(names, ',');
    if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end()) {
      std::string top = std::string(group_mount_point) + "/" + controller;
      if (!sources.exists(top)) top = std::string(group_mount_point) + "/" + names;
      return GroupFolders{1, up_from(sources, top, group)};
    }
    if (names.empty()) unified = GroupFolders{2, up_from(sources, group_mount_point, group)};
  }
  return unified;
}

std::string nearest_of_group(const Sources& sources, const GroupFolders& group,
                             const std::string& file) {
  for (const auto& folder : group.folders) {
    if (sources.exists(folder + "/" + file)) return folder + "/" + file;
  }
  return group.folders.front() + "/" + file;
}

Reading<std::int64_t> group_memory_limit(const Sources& sources, int version,
                                         const std::string& folder) {
  const auto text =
      sources.word(folder + (version == 1 ? "/memory.limit_in_bytes" : "/memory.max"));
  if (!text) return text.missing();
  const Missing not_limited{"not-limited", "no limit is in force"};
  if (*text == "max") return not_limited;
  const auto bytes = integer_from(*text);
  if (!bytes) return bytes.missing();
  if (*bytes < 0) return not_understood(*text);
  // Version 1 says "none" as the largest number of whole pages.
  constexpr std::int64_t none = std::int64_t{1} << 62;
  if (*bytes >= none) return not_limited;
  return *bytes;
}

}  // namespace assay
