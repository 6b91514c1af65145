// SPDX-License-Identifier: MIT
#include "assay/base/crew.hpp"

namespace assay {

Crew Crew::of_this_thread(int most) {
  cpu_set_t cores;
  // Fails on machines with more cores than the set has room for.
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return {};
  return Crew(cores, most);
}

Crew::Crew(const cpu_set_t& cores, int most)
    : cores_(cores), size_(std::clamp(CPU_COUNT(&cores), 1, std::max(most, 1))) {}

Crew Crew::of_threads(int threads) {
  Crew crew = of_this_thread();
  crew.size_ = std::max(threads, 1);
  return crew;
}

// Where it fails, the thread runs where the calling one does: slower, and as right.
void Crew::join_cores() const noexcept { sched_setaffinity(0, sizeof cores_, &cores_); }

}  // namespace assay
