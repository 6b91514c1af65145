// SPDX-License-Identifier: MIT
//
// The cycles of the calling thread, by the processor's own counter: over the time in which they
// were counted they give the mean frequency, where a file gives one moment's. Kernel and user
// together, since the time cannot be told apart: where only the user's may be counted there are
// none. Internal.
#pragma once

#include <cstdint>

#include "assay/base/reading.hpp"

namespace assay::device {

class Cycles {
 public:
  // Of the calling thread. Missing from then on: "not-permitted" (perf_event_paranoid above 1
  // without CAP_PERFMON, or a sandbox), "not-supported" (many virtual machines).
  Cycles();
  Cycles(const Cycles&) = delete;
  Cycles& operator=(const Cycles&) = delete;
  ~Cycles();

  struct Count {
    std::int64_t cycles = 0;
    std::int64_t time_ns = 0;  // in which they were counted
  };
  Reading<Count> read() const;

 private:
  int fd_ = -1;
  Missing why_;
};

}  // namespace assay::device
