// SPDX-License-Identifier: MIT
#include "assay/device/cpu/process_memory.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>

#include "assay/base/control_group.hpp"

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

constexpr std::int64_t no_sum_beyond_bytes = std::int64_t{1} << 60;  // sums stay numbers

// What all in the group have, but for pages of files, which are given up for whoever needs room:
// the same that MemAvailable leaves out.
Reading<std::int64_t> taken_in_group(const Sources& sources, int version,
                                     const std::string& folder) {
  const auto all =
      sources.integer(folder + (version == 1 ? "/memory.usage_in_bytes" : "/memory.current"));
  if (!all) return all.missing();
  std::int64_t files = 0;
  for (const char* kind : {"active_file", "inactive_file"}) {
    const std::string key = (version == 1 ? "total_" : "") + std::string(kind);
    const auto text = sources.field(folder + "/memory.stat", key, ' ');
    const auto bytes = text ? integer_from(*text) : Reading<std::int64_t>(text.missing());
    if (!bytes) return bytes.missing();
    files += std::clamp<std::int64_t>(*bytes, 0, no_sum_beyond_bytes);
  }
  return std::max<std::int64_t>(std::min(*all, no_sum_beyond_bytes) - files, 0);
}

// That this process could have beside the others in its control group and in those above: the least
// of what each leaves. Nothing where none has a limit.
std::optional<Reading<std::int64_t>> group_capacity(const Sources& sources,
                                                    const Reading<std::int64_t>& resident) {
  std::optional<Reading<std::int64_t>> least;
  const auto group = group_folders(sources, "memory");
  if (!group) return least;
  for (const std::string& folder : group->folders) {
    const auto limit = group_memory_limit(sources, group->version, folder);
    if (!limit) continue;
    const auto taken = taken_in_group(sources, group->version, folder);
    if (!taken || !resident) return (taken ? resident : taken).missing();
    const std::int64_t left =
        std::max<std::int64_t>(std::min(*limit, no_sum_beyond_bytes) - *taken, 0);
    const std::int64_t own = std::min(*limit, left + std::min(*resident, no_sum_beyond_bytes));
    if (!least || own < **least) least = own;
  }
  return least;
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
    use.capacity_bytes =
        std::min(*available, no_sum_beyond_bytes) + std::min(*resident, no_sum_beyond_bytes);
  }
  // Where its share is not known the group may leave less than the machine, and nothing is.
  const auto of_group = group_capacity(sources_, resident);
  if (of_group && (!*of_group || !use.capacity_bytes || **of_group < *use.capacity_bytes)) {
    use.capacity_bytes = *of_group;
    use.capacity_of = "control-group";
  }
  return use;
}

}  // namespace assay::device
