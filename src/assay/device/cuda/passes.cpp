// SPDX-License-Identifier: MIT
#include "assay/device/cuda/passes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::device::cuda {
namespace {

// The fastest memory goes over an array of 2 GiB in some 0.45 ms, of which a launch and a tail of
// 2 or 3 µs are 0.6 %; of 512 MiB they would be half of the 5 % that a time may lie below the
// ceiling's.
constexpr std::int64_t largest_array_bytes = std::int64_t{2} << 30;
constexpr std::int64_t caches_that_cannot_hold = 4;
constexpr std::int64_t arrays = 3;
constexpr std::int64_t share_of_free = 2;

Missing no_room(std::int64_t bytes, std::int64_t free_bytes) {
  return Missing{"no-room", std::to_string(arrays) + " arrays of " + std::to_string(bytes) +
                                " bytes are needed, and they may take half of the " +
                                std::to_string(free_bytes) + " bytes that are free"};
}

}  // namespace

Reading<Passes> rate_over(const std::function<double()>& pass_ns, double work,
                          const Repeats& repeats) {
  std::vector<double> rates;
  double sum_ns = 0;
  for (int i = 0; i < repeats.most && (i < repeats.least || sum_ns < repeats.enough_ns); ++i) {
    const double ns = pass_ns();
    if (!(ns > 0) || !std::isfinite(ns)) {
      return Missing{"no-time", "the timer saw no time pass in it"};
    }
    sum_ns += ns;
    rates.push_back(work / ns * 1e9);
  }
  ASSAY_EXPECTS(!rates.empty());
  std::sort(rates.begin(), rates.end());
  return Passes{rates.back(), rates[rates.size() / 2], static_cast<std::int64_t>(rates.size())};
}

BestWay best_of(const std::vector<std::function<Reading<Passes>()>>& ways, const char* reason) {
  ASSAY_EXPECTS(!ways.empty());
  BestWay best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    Reading<Passes> one = Missing{"", ""};
    try {
      one = ways[i]();
    } catch (const DeviceLost&) {
      throw;
    } catch (const Error& error) {
      one = Missing{reason, error.what()};
    }
    // The first of them stands for all as long as there is none better.
    const bool is_better = one && (!best.passes || one->median > best.passes->median);
    if (i == 0 || is_better) best = {one, i};
  }
  return best;
}

unsigned rounds_for(double pass_ns, unsigned probed, double probe_ns) {
  if (!(probe_ns > 0)) return std::max(probed, 1U);
  constexpr double most = std::numeric_limits<unsigned>::max() / 2;
  return static_cast<unsigned>(std::clamp(std::round(pass_ns / probe_ns * probed), 1.0, most));
}

Reading<std::int64_t> array_bytes_for(std::int64_t free_bytes, std::int64_t cache_bytes) {
  const std::int64_t least = std::max<std::int64_t>(caches_that_cannot_hold * cache_bytes, 1);
  for (std::int64_t bytes = largest_array_bytes; bytes >= least; bytes /= 2) {
    if (arrays * bytes <= free_bytes / share_of_free) return bytes;
  }
  return no_room(least, free_bytes);
}

Reading<std::int64_t> matrix_width_for(std::int64_t free_bytes) {
  std::int64_t bytes = 0;
  for (const std::int64_t width : {8192, 4096, 2048}) {
    bytes = 2 * width * width;
    if (arrays * bytes <= free_bytes / share_of_free) return width;
  }
  return no_room(bytes, free_bytes);
}

}  // namespace assay::device::cuda
