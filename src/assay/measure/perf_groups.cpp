// SPDX-License-Identifier: MIT
#include "assay/measure/perf_groups.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "assay/base/json.hpp"

namespace assay::measure {

PerfGroups::PerfGroups(const std::vector<PerfEvent>& events) : events_(events) {
  constexpr auto whose = PerfCounter::Of::thread_and_its_children;
  for (const PerfEvent& event : events_) {
    if (!leaders_.empty()) {
      PerfCounter member = PerfCounter::stopped(event, whose, &counters_[leaders_.back()]);
      if (member.is_open()) {
        counters_.push_back(std::move(member));
        group_of_.push_back(leaders_.size() - 1);
        continue;
      }
    }
    PerfCounter leader = PerfCounter::stopped(event, whose, nullptr);
    // One that cannot be counted at all leads nothing.
    if (leader.is_open()) leaders_.push_back(counters_.size());
    group_of_.push_back(leaders_.empty() ? 0 : leaders_.size() - 1);
    counters_.push_back(std::move(leader));
  }
}

void PerfGroups::write(const std::filesystem::path& file) const {
  Json list = Json::array();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto reading = counters_[i].read().transform([](const PerfCounter::Count& count) {
      return Json{{"count", count.count},
                  {"enabled_ns", count.enabled_ns},
                  {"running_ns", count.running_ns}};
    });
    list.push_back(
        {{"event", events_[i].text()}, {"group", group_of_[i]}, {"reading", json_of(reading)}});
  }
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << json_text({{"format", "assay-counts/1"}, {"events", std::move(list)}});
  stream.close();
  if (!stream) {
    throw Error(ErrorKind::write,
                "cannot write the counts to " + file.string() + ": " + std::strerror(errno), errno);
  }
}

}  // namespace assay::measure
