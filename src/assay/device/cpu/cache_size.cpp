// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cache_size.hpp"

#include <set>
#include <string>

namespace assay::device {

Reading<std::int64_t> last_level_cache_bytes(const Sources& sources) {
  const std::string processors = "/sys/devices/system/cpu";
  std::int64_t highest = 0;
  std::int64_t bytes = 0;
  std::set<std::string> counted;  // by the processors that share it
  for (const std::string& processor : sources.names(processors)) {
    if (!processor.starts_with("cpu") || !integer_from(processor.substr(3))) continue;
    const std::string caches = processors + "/" + processor + "/cache";
    for (const std::string& name : sources.names(caches)) {
      const std::string cache = caches + "/" + name;
      const auto level = sources.integer(cache + "/level");
      const auto size = sources.word(cache + "/size");
      const auto type = sources.word(cache + "/type");
      if (!level || !size || (type && *type == "Instruction") || *level < highest) continue;
      const auto of_this = bytes_from(*size);
      if (!of_this || *of_this <= 0) continue;
      if (*level > highest) {
        highest = *level;
        bytes = 0;
        counted.clear();
      }
      // Where it is not told who shares it, each processor has one of its own.
      const auto shared = sources.word(cache + "/shared_cpu_list");
      if (counted.insert(shared ? *shared : processor).second) bytes += *of_this;
    }
  }
  if (bytes == 0) return Missing{"not-found", processors + " lists no cache with a size"};
  return bytes;
}

}  // namespace assay::device
