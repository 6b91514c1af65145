// SPDX-License-Identifier: MIT
//
// Where the limits and accounts of this process's control group lie (Documentation/admin-guide/
// cgroup-v2.rst and cgroup-v1/ of the kernel). What they say of the machine is for env, what they
// say during the run for device. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/sources.hpp"

namespace assay {

inline constexpr const char* group_mount_point = "/sys/fs/cgroup";

// A limit of a group holds for all groups below it.
struct GroupFolders {
  int version = 0;                   // 1 or 2
  std::vector<std::string> folders;  // from the process's group up to the top, as far as seen here
};

// For one controller: "cpu", "memory", "cpuset". A machine may mount both versions: then a
// controller's files are where it is. In a container the group's name is often that of outside: the
// top is what there is to see. Missing: as /proc/self/cgroup is, or "no-such-field".
Reading<GroupFolders> group_folders(const Sources& sources, const std::string& controller);

// The file in the nearest of the folders that has it, else where it would be in the first.
std::string nearest_of_group(const Sources& sources, const GroupFolders& group,
                             const std::string& file);

// What one folder sets. Missing "not-limited" where it says that it sets none.
Reading<std::int64_t> group_memory_limit(const Sources& sources, int version,
                                         const std::string& folder);

}  // namespace assay
