// SPDX-License-Identifier: MIT
#include "assay/device/cuda/spans.hpp"

#include <algorithm>

#include "assay/base/error.hpp"

namespace assay::device::cuda {
namespace {

std::int64_t span_ns(std::span<const Activity> activities) {
  std::uint64_t end_ns = 0;
  for (const Activity& activity : activities) end_ns = std::max(end_ns, activity.end_ns);
  return static_cast<std::int64_t>(end_ns - activities.front().start_ns);
}

bool have_same_names(std::span<const Activity> a, std::span<const Activity> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Activity& x, const Activity& y) { return x.name == y.name; });
}

}  // namespace

void add_flag(std::string& flags, const std::string& flag) {
  if (!flags.empty()) flags += ' ';
  flags += flag;
}

bool agree(const Profiler::Recorded& recorded, double interval_ns, std::int64_t calls,
           double between_events_ns) {
  constexpr double shorter_ns = 1e3;  // events step by as much on some devices
  constexpr double longer_ns = 1e4;
  constexpr double longer_frac = 0.05;
  constexpr double between_calls_ns = 3e3;
  const auto seen_ns = static_cast<double>(span_ns(recorded.activities));
  return between_events_ns > seen_ns - shorter_ns &&
         between_events_ns < interval_ns * (1 + longer_frac) + longer_ns +
                                 between_calls_ns * static_cast<double>(calls);
}

Reading<double> step_between(std::vector<double> intervals_ns) {
  constexpr double neighbours_ns = 4;
  std::sort(intervals_ns.begin(), intervals_ns.end());
  std::vector<double> lengths;  // the median of each group of neighbours: the length itself
  for (std::size_t first = 0; first < intervals_ns.size();) {
    std::size_t last = first;
    while (last + 1 < intervals_ns.size() &&
           intervals_ns[last + 1] - intervals_ns[last] < neighbours_ns) {
      ++last;
    }
    if (intervals_ns[last] - intervals_ns[first] > 2 * neighbours_ns) return 1.0;
    lengths.push_back(intervals_ns[first + (last - first) / 2]);
    first = last + 1;
  }
  if (lengths.size() < 3) {
    return Missing{"does-not-step", "the timer gave fewer than three different lengths"};
  }
  double step_ns = lengths[1] - lengths[0];
  for (std::size_t i = 2; i < lengths.size(); ++i) {
    step_ns = std::min(step_ns, lengths[i] - lengths[i - 1]);
  }
  return step_ns;
}

Measured measured_of(const Profiler::Recorded& recorded, std::int64_t calls, std::uint32_t stream) {
  ASSAY_EXPECTS(calls > 0);
  const std::span<const Activity> all = recorded.activities;
  if (all.empty()) {
    throw Error(ErrorKind::device,
                recorded.calls.failed_launches > 0
                    ? "the subject did nothing on the device: " +
                          std::to_string(recorded.calls.failed_launches) +
                          " of its launches failed, which it did not say; check the error of each "
                          "launch (cudaGetLastError)"
                    : "the subject did nothing on the device: no kernel, copy or fill was seen; "
                      "measure it at the boundary call, or launch on the context's stream()");
  }
  if (all.size() < static_cast<std::size_t>(calls)) {
    throw Error(ErrorKind::device, "the subject did something on the device in at most " +
                                       std::to_string(all.size()) + " of " + std::to_string(calls) +
                                       " calls: each call must do the whole work");
  }
  Measured measured;
  measured.start_ns = static_cast<std::int64_t>(all.front().start_ns);
  const auto count = static_cast<std::size_t>(calls);
  bool is_even = all.size() % count == 0;
  const std::size_t per_call = all.size() / count;
  for (std::size_t i = 1; is_even && i < count; ++i) {
    is_even = have_same_names(all.first(per_call), all.subspan(i * per_call, per_call));
  }
  if (is_even) {
    std::int64_t sum_ns = 0;
    for (std::size_t i = 0; i < count; ++i) sum_ns += span_ns(all.subspan(i * per_call, per_call));
    measured.interval_ns = static_cast<double>(sum_ns);
  } else {
    measured.interval_ns = static_cast<double>(span_ns(all));
    add_flag(measured.flags, "uneven-work");
  }
  const bool has_left = std::any_of(
      all.begin(), all.end(), [&](const Activity& activity) { return activity.stream != stream; });
  if (has_left) add_flag(measured.flags, "left-queue");
  if (recorded.calls.failed_launches > 0) add_flag(measured.flags, "launch-failed");
  if (recorded.calls.allocations > 0) add_flag(measured.flags, "allocates");
  if (recorded.calls.synchronisations > 0) add_flag(measured.flags, "synchronises");
  if (recorded.calls.module_loads > 0) add_flag(measured.flags, "loads-modules");
  if (recorded.has_unfinished) add_flag(measured.flags, "unfinished");
  measured.kernels.reserve(all.size());
  for (const Activity& activity : all) {
    measured.kernels.push_back({activity.name, static_cast<std::int64_t>(activity.start_ns),
                                static_cast<std::int64_t>(activity.end_ns - activity.start_ns),
                                activity.grid, activity.threads});
  }
  return measured;
}

}  // namespace assay::device::cuda
