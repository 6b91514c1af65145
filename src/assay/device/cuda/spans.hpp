// SPDX-License-Identifier: MIT
//
// What an interval's activity records say: the time of each call, and what was not as it should be.
// Pure functions. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/device/cuda/profiler.hpp"
#include "assay/device/device.hpp"

namespace assay::device::cuda {

// The records of `calls` calls of one subject, ordered by when they began. Where their number
// divides by the calls and every call has the same sequence of names, the interval is the sum over
// the calls of the span from the first record's begin to the last one's end: what lies between two
// calls is not the subject's. Else it is the span of all of them, flagged "uneven-work".
//
// stream: CUPTI's number of the queue that subjects are to use.
//
// Flags: "left-queue" (work on another stream), "launch-failed", "allocates", "synchronises",
// "loads-modules" (calls of the driver in the interval), "unfinished" (a record without times).
//
// Throws Error{device} if there is no record at all: the subject launched nothing, or in vain.
Measured measured_of(const Profiler::Recorded& recorded, std::int64_t calls, std::uint32_t stream);

// Whether a pair of events around all calls of an interval agrees with it: not shorter than the
// span of the records, and not longer than the interval by more than a twentieth, 10 µs and 3 µs a
// call. An event pair has a floor of a few µs, and between two kernels in a queue lies about one
// (1.0 µs, 1.2 at the 99th percentile, on an H200); what is longer than that was not seen by the
// profiler.
bool agree(const Profiler::Recorded& recorded, double interval_ns, std::int64_t calls,
           double between_events_ns);

// The step of a device's clock, from intervals of many different lengths. What the driver hands out
// is converted to another clock, so that one length shows as a few neighbours (671, 672 and 673 ns
// for 672): values that lie closer together than 4 ns count as one. Missing with fewer than three
// lengths; values that all lie so close to the next tell of no step, and the result is 1 ns.
Reading<double> step_between(std::vector<double> intervals_ns);

// "a b" of flags that are there already and one more.
void add_flag(std::string& flags, const std::string& flag);

}  // namespace assay::device::cuda
