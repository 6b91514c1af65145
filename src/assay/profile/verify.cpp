// SPDX-License-Identifier: MIT
#include <map>

#include "assay/profile/profile.hpp"
#include "assay/profile/tool.hpp"

namespace assay::profile {

std::vector<std::string> recomputation_differences(const record::CompanionRecord& companion) {
  std::map<std::int64_t, std::string> stored;
  for (const auto& counter : companion.counters) append_csv(stored[counter.run], counter);
  std::vector<std::string> differences;
  for (record::CounterRun run : companion.companion.runs) {
    const auto told = run.missing;
    std::string text;
    for (const auto& counter : counters_of(companion.companion, run, companion.path / "data")) {
      append_csv(text, counter);
    }
    if (text != stored[run.number] || told != run.missing) {
      differences.push_back("the counters of run " + std::to_string(run.number) +
                            " are not those that its raw files say");
    }
  }
  return differences;
}

}  // namespace assay::profile
