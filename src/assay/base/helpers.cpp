// SPDX-License-Identifier: MIT
#include "assay/base/helpers.hpp"

namespace assay {

Helpers::Helpers(const std::vector<int>& cores, int most) {
  CPU_ZERO(&cores_);
  for (const int core : cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &cores_);
  }
  threads_ = std::clamp(CPU_COUNT(&cores_), 1, std::max(most, 1));
}

Helpers Helpers::of_this_thread(int most) {
  Helpers helpers;
  // Fails on machines with more cores than the set has room for.
  if (sched_getaffinity(0, sizeof helpers.cores_, &helpers.cores_) != 0) return {};
  helpers.threads_ = std::clamp(CPU_COUNT(&helpers.cores_), 1, std::max(most, 1));
  return helpers;
}

Helpers Helpers::of_threads(int threads) {
  Helpers helpers = of_this_thread();
  helpers.threads_ = std::max(threads, 1);
  return helpers;
}

// Where it fails, the thread runs where the calling one does: slower, and as right.
void Helpers::join_cores() const noexcept { sched_setaffinity(0, sizeof cores_, &cores_); }

}  // namespace assay
