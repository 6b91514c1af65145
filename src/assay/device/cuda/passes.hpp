// SPDX-License-Identifier: MIT
//
// How ceilings are measured whatever the kernel is: how large, how often, and which number of many
// stands for them. Apart from the device, so that it can be tested without one. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/base/ceilings.hpp"

namespace assay::device::cuda {

// On a fast device `most` passes take a few milliseconds; on a slow one they end after `enough_ns`,
// but not before `least` of them.
struct Repeats {
  int least = 3;
  int most = 7;
  double enough_ns = 20e6;
};

// The rate of `work` (bytes, operations) a pass. pass_ns: does one and returns how long it took.
// Missing ("no-time") if the timer sees none. repeats: at least 1.
Reading<Passes> rate_over(const std::function<double()>& pass_ns, double work,
                          const Repeats& repeats = {});

// The best of several ways to do the same, each of which measures itself: the one with the highest
// median, since a single pass may have been mistimed; of equal ones the first. One that fails
// (Error{device}) takes nothing from the others: where all do, the result is Missing{reason} with
// what the first one said. A lost device is thrown on.
struct BestWay {
  Reading<Passes> passes = Missing{"not-measured", ""};
  std::size_t index = 0;  // among the ways
};
BestWay best_of(const std::vector<std::function<Reading<Passes>()>>& ways, const char* reason);

// How much of a kernel's own unit of work makes a pass of about so long, where `probed` units took
// probe_ns: at least 1.
unsigned rounds_for(double pass_ns, unsigned probed, double probe_ns);

// The size of each of three arrays: 2 GiB, or half as much and so on, until they take no more than
// half of what is free. Missing ("no-room") where that is less than four times the last-level
// cache.
Reading<std::int64_t> array_bytes_for(std::int64_t free_bytes, std::int64_t cache_bytes);

// The width of three square matrices of two bytes a number, in the same way: 8192, 4096, 2048.
Reading<std::int64_t> matrix_width_for(std::int64_t free_bytes);

}  // namespace assay::device::cuda
