// SPDX-License-Identifier: MIT
#include <linux/perf_event.h>

#include "assay/profile/events.hpp"

namespace assay::profile {
namespace {

NamedEvent in_user(const char* name, const char* unit, const char* meaning, std::uint32_t type,
                   std::uint64_t config) {
  PerfEvent event;
  event.type = type;
  event.config = config;
  event.in_kernel = false;
  return {name, unit, meaning, event};
}

NamedEvent everywhere(const char* name, const char* unit, const char* meaning,
                      std::uint64_t config) {
  NamedEvent named = in_user(name, unit, meaning, PERF_TYPE_SOFTWARE, config);
  named.event.in_kernel = true;
  return named;
}

constexpr std::uint64_t last_level_reads = PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ
                                                                        << 8;

}  // namespace

std::vector<NamedEvent> default_events() {
  return {in_user("cycles", "cycles", "cycles of the core, in the program", PERF_TYPE_HARDWARE,
                  PERF_COUNT_HW_CPU_CYCLES),
          in_user("instructions", "instructions", "instructions retired, in the program",
                  PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
          in_user("branches", "branches", "branches retired, in the program", PERF_TYPE_HARDWARE,
                  PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
          in_user("branch-misses", "branches", "branches that were predicted wrongly",
                  PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES),
          in_user("LLC-loads", "loads", "loads that reach the last-level cache", PERF_TYPE_HW_CACHE,
                  last_level_reads | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16),
          in_user("LLC-load-misses", "loads", "of these, those that it does not hold",
                  PERF_TYPE_HW_CACHE, last_level_reads | PERF_COUNT_HW_CACHE_RESULT_MISS << 16),
          everywhere("page-faults", "faults", "pages that the kernel had to bring in",
                     PERF_COUNT_SW_PAGE_FAULTS),
          everywhere("context-switches", "switches", "times that the core was given to another",
                     PERF_COUNT_SW_CONTEXT_SWITCHES)};
}

}  // namespace assay::profile
