// SPDX-License-Identifier: MIT
#include "assay/device/cpu/process_memory.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>

namespace assay::device {
namespace {

constexpr const char* clear_refs = "/proc/self/clear_refs";
constexpr const char* status = "/proc/self/status";

Reading<std::int64_t> bytes_of(const Sources& sources, const char* file, const char* key) {
  const auto text = sources.field(file, key, ':');
  if (!text) return text.missing();
  const auto bytes = bytes_from(*text);
  if (bytes && *bytes < 0) return Missing{"not-understood", "found '" + *text + "'"};
  return bytes;
}

// The limits of the process's control group, of version 2 or 1, wherever they are mounted.
std::optional<std::int64_t> group_limit(const Sources& sources) {
  std::optional<std::int64_t> limit;
  const auto groups = sources.text("/proc/self/cgroup");
  if (!groups) return limit;
  for (const std::string& line : split(*groups, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const std::string mount = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const std::string file = controllers.empty() ? "/memory.max" : "/memory.limit_in_bytes";
    std::string path(trimmed(std::string_view(line).substr(second + 1)));
    // A limit of a group above holds as well; in a container the top is what there is to see.
    for (;;) {
      if (path == "/") path.clear();
      const auto bytes = sources.integer(mount + path + file);
      // Version 1 says "no limit" by a number of pages that no machine has.
      constexpr std::int64_t unlimited = std::int64_t{1} << 60;
      if (bytes && *bytes > 0 && *bytes < unlimited)
        limit = std::min(limit.value_or(*bytes), *bytes);
      if (path.empty()) break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return limit;
}

// "…file=/x mapped=2 N0=2 N1=5 kernelpagesize_kB=4": pages by node.
Reading<std::int64_t> remote_bytes(const Sources& sources) {
  const auto online = sources.word("/sys/devices/system/node/online");
  if (!online) return online.missing();
  const auto nodes = list_from(*online);
  if (!nodes) return nodes.missing();
  if (nodes->size() < 2) return Missing{"one-node", "the machine's memory is all near"};
  std::optional<int> own;
  const std::string core = "cpu" + std::to_string(sched_getcpu());
  for (const int node : *nodes) {
    if (sources.exists("/sys/devices/system/node/node" + std::to_string(node) + "/" + core)) {
      own = node;
    }
  }
  if (!own) return Missing{"not-understood", "no memory node has the core " + core};
  const auto maps = sources.text("/proc/self/numa_maps");
  if (!maps) return maps.missing();
  std::int64_t bytes = 0;
  for (const std::string& line : split(*maps, '\n')) {
    std::int64_t page_bytes = 4096;
    std::int64_t pages = 0;
    for (const std::string& word : split(line, ' ')) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) continue;
      const auto value = integer_from(std::string_view(word).substr(equals + 1));
      constexpr std::int64_t most = std::int64_t{1} << 40;
      if (!value || *value < 0 || *value > most) continue;
      if (word.starts_with("kernelpagesize_kB")) page_bytes = *value * 1024;
      const auto node = integer_from(std::string_view(word).substr(1, equals - 1));
      if (word.front() == 'N' && node && *node != *own) pages += *value;
    }
    if (pages > 0 && page_bytes > (std::numeric_limits<std::int64_t>::max() - bytes) / pages) {
      return Missing{"not-understood", "numa_maps has more pages than there are"};
    }
    bytes += pages * page_bytes;
  }
  return bytes;
}

}  // namespace

void ProcessMemory::begin_peak() {
  is_watched_ = true;
  const int fd = ::open(sources_.on_disk(clear_refs).c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    is_watched_ = missing_file(clear_refs, errno);
    return;
  }
  if (::write(fd, "5\n", 2) != 2) is_watched_ = missing_file(clear_refs, errno);
  ::close(fd);
}

MemoryUse ProcessMemory::use() const {
  MemoryUse use;
  use.peak_bytes = is_watched_ ? bytes_of(sources_, status, "VmHWM")
                               : Reading<std::int64_t>(is_watched_.missing());
  use.swapped_bytes = bytes_of(sources_, status, "VmSwap");
  use.remote_bytes = remote_bytes(sources_);
  const auto available = bytes_of(sources_, "/proc/meminfo", "MemAvailable");
  const auto resident = bytes_of(sources_, status, "VmRSS");
  use.capacity_of = "machine";
  use.capacity_bytes = available;
  if (available && resident) {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    use.capacity_bytes = std::min(*available, most) + std::min(*resident, most);
  }
  const auto limit = group_limit(sources_);
  if (limit && (!use.capacity_bytes || *limit < *use.capacity_bytes)) {
    use.capacity_bytes = *limit;
    use.capacity_of = "control-group";
  }
  return use;
}

}  // namespace assay::device
