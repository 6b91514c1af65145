// SPDX-License-Identifier: MIT
//
// The timers of Cuda: their steps and floors, and an interval by each of them.
#include <algorithm>

#include "assay/base/time.hpp"
#include "assay/device/cuda/call.hpp"
#include "assay/device/cuda/cuda.hpp"
#include "assay/device/cuda/spans.hpp"

namespace assay::device::cuda {
namespace {

// Few enough for the queue of a stream, which holds about a thousand commands.
constexpr std::int64_t calls_behind_a_gate = 32;
// Samples of each subject in which the events are asked as well.
constexpr std::int64_t cross_checks = 4;

}  // namespace

Passes Cuda::empty_kernel(const std::string& timer, std::int64_t calls) {
  Call empty([this] { kernels().empty(stream_); });
  constexpr int warm_ups = 20;
  constexpr int repeats = 201;
  graphs_->forget();
  std::vector<double> intervals_ns;
  for (int i = 0; i < warm_ups + repeats; ++i) {
    const Measured measured = measure(empty, calls, timer);
    if (i >= warm_ups) intervals_ns.push_back(measured.interval_ns / static_cast<double>(calls));
  }
  std::sort(intervals_ns.begin(), intervals_ns.end());
  return {intervals_ns.front(), intervals_ns[repeats / 2], repeats};
}

Reading<double> Cuda::step_ns(const Timer& timer) {
  // Work of many different lengths, so that every step of the timer has a chance to be seen.
  unsigned steps = 0;
  Call chain([&] { kernels().chain(10 + steps % 97, stream_); });
  std::vector<double> lengths;
  for (steps = 0; steps < 300; ++steps) {
    graphs_->forget();  // it would be the first length for ever
    lengths.push_back(measure(chain, 1, timer.name).interval_ns);
  }
  graphs_->forget();
  return timer.name == host_timer ? step_of(std::move(lengths)) : step_between(std::move(lengths));
}

Timer Cuda::calibrated(Timer timer) {
  if (!use_.measures) {
    timer.resolution_ns = timer.floor_ns = Missing{"not-asked", "the plan has it"};
    return timer;
  }
  // What another timer does to the process would be in the floor: each is measured where it is
  // used.
  if (is_profiled() != (timer.name == profiler_timer)) {
    timer.resolution_ns = timer.floor_ns =
        Missing{"other-process", "it is measured in processes that use it"};
    return timer;
  }
  now_ = {};
  try {
    // A single one in a graph is far below what launches scatter by.
    const Passes empty = empty_kernel(timer.name, timer.is_slope ? 64 : 1);
    if (!empty_kernel_) empty_kernel_ = empty;
    timer.floor_ns = empty.median;
    timer.resolution_ns = step_ns(timer);
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    // A driver that makes no graphs is no reason to do without the other timers.
    if (timer.name != graph_timer) throw;
    timer.resolution_ns = timer.floor_ns = Missing{"refused", error.what()};
  }
  return timer;
}

std::vector<Timer> Cuda::timers() {
  Timer profiler{profiler_timer, {device_boundary}};
  Timer events{event_timer, {device_boundary}};
  Timer graph{graph_timer, {device_boundary}};
  const Timer host{host_timer, {call_boundary, std::string(cold_start_boundary)}};
  profiler.is_per_call = events.is_per_call = true;
  graph.is_slope = true;
  std::vector<Timer> timers;
  if (is_profiled()) timers.push_back(calibrated(profiler));
  for (const Timer& each : {events, graph, host}) timers.push_back(calibrated(each));
  return timers;
}

CUevent Cuda::event(std::size_t index) {
  while (events_.size() <= index) {
    CUevent event = nullptr;
    driver_->check(driver_->cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    events_.push_back(event);
  }
  return events_[index];
}

template <typename Enqueue, typename After>
std::string Cuda::run_gated(std::int64_t calls, Enqueue&& enqueue, After&& after) {
  std::string flags;
  std::int64_t& fit = group();
  while (calls > 0) {
    if (fit == none_yet) {
      fit = calls_behind_a_gate;
      enqueue(1);
      after(1);
      add_flag(flags, "first-call");
      --calls;
      continue;
    }
    if (fit == 0) {
      // It waits for the device itself: nothing can be held back.
      enqueue(1);
      after(1);
      if (flags.find("ungated") == std::string::npos) add_flag(flags, "ungated");
      --calls;
      continue;
    }
    const std::int64_t now = std::min(calls, fit);
    gate().close(stream_);
    try {
      enqueue(now);
    } catch (...) {
      gate().open();
      throw;
    }
    if (!gate().open()) {
      if (flags.find("gate-timeout") == std::string::npos) add_flag(flags, "gate-timeout");
      // Fewer calls may fit into the queue; a single one that does not is never held back again.
      fit = now == 1 ? 0 : std::max<std::int64_t>(now / 8, 1);
    }
    after(now);
    calls -= now;
  }
  return flags;
}

Measured Cuda::by_profiler(Invocation& invocation, std::int64_t iterations) {
  Profiler& profiler = **profiler_;
  // Where all calls fit behind one gate, a pair of events around them costs the host two calls and
  // the kernels nothing: the two timers must agree about how long the device was busy.
  std::int64_t& left = cross_checks_.try_emplace(place(), cross_checks).first->second;
  const bool is_checked = left > 0 && group() > 0 && iterations <= group();
  profiler.begin();
  if (is_checked) --left;
  const std::string flags = run_gated(
      iterations,
      [&](std::int64_t calls) {
        if (is_checked) record_event(0);
        invocation.run(calls);
        if (is_checked) record_event(1);
      },
      [](std::int64_t) {});
  const DriverCalls calls = profiler.calls();
  synchronize();
  const Profiler::Recorded recorded = profiler.end(calls);
  Measured measured = measured_of(recorded, iterations, stream_number_);
  if (!flags.empty()) add_flag(measured.flags, flags);
  if (is_checked && flags.empty() &&
      !agree(recorded, measured.interval_ns, iterations, elapsed_ns(0, 1))) {
    add_flag(measured.flags, "timers-disagree");
  }
  return measured;
}

void Cuda::record_event(std::size_t index) {
  driver_->check(driver_->cuEventRecord(event(index), stream_), "cuEventRecord");
}

double Cuda::elapsed_ns(std::size_t first, std::size_t last) {
  float ms = 0;
  driver_->check(driver_->cuEventElapsedTime(&ms, event(first), event(last)), "cuEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

Measured Cuda::by_events(Invocation& invocation, std::int64_t iterations) {
  Measured measured;
  measured.start_ns = monotonic_ns();
  const auto enqueue = [&](std::int64_t calls) {
    record_event(0);
    for (std::int64_t i = 0; i < calls; ++i) {
      invocation.run(1);
      record_event(static_cast<std::size_t>(i + 1));
    }
  };
  const auto collect = [&](std::int64_t calls) {
    synchronize();
    for (std::int64_t i = 0; i < calls; ++i) {
      const auto first = static_cast<std::size_t>(i);
      measured.interval_ns += elapsed_ns(first, first + 1);
    }
  };
  measured.flags = run_gated(iterations, enqueue, collect);
  return measured;
}

Measured Cuda::by_graph(Invocation& invocation, std::int64_t iterations) {
  return graphs_->measure(place(), invocation, iterations, [this](CUgraphExec graph) {
    gate().close(stream_);
    try {
      record_event(0);
      driver_->check(driver_->cuGraphLaunch(graph, stream_), "cuGraphLaunch");
      record_event(1);
    } catch (...) {
      gate().open();
      throw;
    }
    const bool was_held_back = gate().open();
    synchronize();
    return GraphSlope::Launched{elapsed_ns(0, 1), was_held_back};
  });
}

Measured Cuda::measure(Invocation& invocation, std::int64_t iterations, const std::string& timer) {
  if (timer == profiler_timer && is_profiled()) return by_profiler(invocation, iterations);
  if (timer == event_timer) return by_events(invocation, iterations);
  if (timer == graph_timer) return by_graph(invocation, iterations);
  if (timer == host_timer) {
    // Each call until its work is complete: the next one does not hide behind it.
    Call until_complete([&] {
      invocation.run(1);
      synchronize();
    });
    return host_.measure(until_complete, iterations, "monotonic");
  }
  throw Error(ErrorKind::usage, "there is no timer '" + timer + "' in this process on " + id() +
                                    (is_profiled() ? "" : ": " + profiler_.missing().detail));
}

}  // namespace assay::device::cuda
