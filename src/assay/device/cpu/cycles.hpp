// SPDX-License-Identifier: MIT
//
// The cycles of the calling thread, by the processor's own counter: over the time in which they
// were counted they give the mean frequency, where a file gives one moment's. Kernel and user
// together, since the time cannot be told apart: where only the user's may be counted there are
// none. Internal.
#pragma once

#include <cstdint>

#include "assay/base/perf_event.hpp"
#include "assay/base/reading.hpp"

namespace assay::device {

class Cycles {
 public:
  // Of the calling thread, from now on; missing as PerfCounter is.
  Cycles() : counter_(PerfCounter::of(processor_cycles())) {}

  struct Count {
    std::int64_t cycles = 0;
    std::int64_t time_ns = 0;  // in which they were counted
  };
  Reading<Count> read() const;

 private:
  PerfCounter counter_;
};

}  // namespace assay::device
