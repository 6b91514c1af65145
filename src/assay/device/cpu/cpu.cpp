// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cpu.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include "assay/base/do_not_optimize.hpp"
#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/device/cpu/cache_size.hpp"
#include "assay/device/cpu/counter.hpp"
#include "assay/device/cpu/flush.hpp"
#include "assay/device/host_memory.hpp"

namespace assay::device {
namespace {

constexpr const char* monotonic_name = "monotonic";

struct MonotonicClock {
  static std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
  static std::int64_t start() { return now(); }
  static std::int64_t stop() { return now(); }
};

struct CounterClock {
  static std::uint64_t start() { return counter_start(); }
  static std::uint64_t stop() { return counter_stop(); }
};

// In ticks of the clock.
template <typename Clock>
double interval_around(Invocation& invocation, std::int64_t iterations) {
  const auto start = Clock::start();
  invocation.run(iterations);
  const auto stop = Clock::stop();
  return static_cast<double>(stop - start);
}

class Nothing final : public Invocation {
 public:
  void run(std::int64_t) override {}
};

template <typename Clock>
Timer measured_timer(const char* name, double ticks_per_ns) {
  constexpr std::size_t readings = 4000;
  std::vector<double> differences;
  differences.reserve(readings);
  for (std::size_t i = 0; i < readings; ++i) {
    const auto first = Clock::start();
    // Of another length each time: a reading that always costs the same would hide a fine step.
    for (std::size_t wait = i % 64; wait != 0; --wait) do_not_optimize(wait);
    const auto second = Clock::stop();
    differences.push_back(static_cast<double>(second - first));
  }
  Nothing nothing;
  std::vector<double> intervals;
  constexpr std::size_t floors = 1001;
  intervals.reserve(floors);
  for (std::size_t i = 0; i < floors; ++i) {
    intervals.push_back(interval_around<Clock>(nothing, 1));
  }
  const auto middle = intervals.begin() + floors / 2;
  std::nth_element(intervals.begin(), middle, intervals.end());
  return {
      name,
      {"call", std::string(cold_start_boundary)},
      step_of(std::move(differences)).transform([&](double ticks) { return ticks / ticks_per_ns; }),
      *middle / ticks_per_ns};
}

std::string name_of_processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const auto colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

rusage usage_of_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

void add_flag(std::string& flags, const char* flag) {
  flags += (flags.empty() ? "" : " ") + std::string(flag);
}

}  // namespace

Reading<double> step_of(std::vector<double> differences) {
  constexpr double unit = 1;
  // Two readings of the same instant differ by nothing.
  differences.push_back(0);
  std::sort(differences.begin(), differences.end());
  differences.erase(std::unique(differences.begin(), differences.end()), differences.end());
  if (differences.size() == 1) {
    return Missing{"does-not-step", "the timer did not move between readings"};
  }
  double smallest = 0;
  double previous_middle = 0;
  for (std::size_t first = 0; first < differences.size();) {
    std::size_t last = first;
    while (last + 1 < differences.size() && differences[last + 1] - differences[last] <= unit) {
      ++last;
    }
    // Rounding spreads one difference over two neighbours, never over three.
    if (last - first >= 2) return unit;
    const double middle = (differences[first] + differences[last]) / 2;
    const double step = middle - previous_middle;
    if (first != 0 && (smallest == 0 || step < smallest)) smallest = step;
    previous_middle = middle;
    first = last + 1;
  }
  return smallest == 0 ? unit : smallest;
}

Cpu::Cpu() : name_(name_of_processor()) {
  CPU_ZERO(&at_start_);
  sched_getaffinity(0, sizeof at_start_, &at_start_);
}

double Cpu::ticks_per_ns() {
  if (ticks_per_ns_ == 0) ticks_per_ns_ = counter_ticks_per_ns();
  return ticks_per_ns_;
}

std::vector<Timer> Cpu::timers() {
  std::vector<Timer> timers{measured_timer<MonotonicClock>(monotonic_name, 1)};
  if (counter_is_usable()) {
    timers.push_back(measured_timer<CounterClock>(counter_name, ticks_per_ns()));
  }
  return timers;
}

Allocation Cpu::allocate(std::size_t bytes) { return allocate_host(bytes); }
void Cpu::copy_to_host(void* host, const void* device, std::size_t bytes) {
  std::memcpy(host, device, bytes);
}
void Cpu::copy_from_host(void* device, const void* host, std::size_t bytes) {
  std::memcpy(device, host, bytes);
}
void Cpu::copy_within(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

void Cpu::bind_to_cores(const std::vector<int>& cores) {
  if (cores == bound_) return;
  cpu_set_t set = at_start_;
  std::string text = "those of the start";
  if (!cores.empty()) {
    CPU_ZERO(&set);
    text.clear();
    for (const int core : cores) {
      if (core < 0 || core >= CPU_SETSIZE) {
        throw Error(ErrorKind::device, "there is no core " + std::to_string(core));
      }
      CPU_SET(static_cast<std::size_t>(core), &set);
      text += (text.empty() ? "" : ",") + std::to_string(core);
    }
  }
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw Error(ErrorKind::device,
                "cannot bind the worker to the cores " + text + ": " + std::strerror(errno) +
                    "; are they among the cores that this process may use?",
                errno);
  }
  bound_ = cores;
}

Reading<std::int64_t> Cpu::last_level_cache_bytes() const {
  return device::last_level_cache_bytes(Sources("/"));
}

void Cpu::evict(Eviction how, std::span<const Range> ranges) {
  if (how != Eviction::clean) {
    throw Error(ErrorKind::device, "a processor's caches are emptied line by line, not by writing");
  }
  if (std::strcmp(flush_method(), "none") == 0) {
    throw Error(ErrorKind::device,
                "cannot empty the caches: Assay knows no flush instruction of this processor; "
                "measure the state warm");
  }
  for (const Range& range : ranges) flush_lines(range.data, range.bytes);
  wait_for_flushes();
}

void Cpu::begin(const Occasion& occasion) {
  if (occasion.subject.empty() && telemetry_) telemetry_->begin_request();
}

std::optional<Telemetry> Cpu::telemetry() {
  if (!telemetry_) telemetry_.emplace("/");
  return telemetry_->read();
}

Measured Cpu::measure(Invocation& invocation, std::int64_t iterations, const std::string& timer) {
  const bool by_counter = timer == counter_name && counter_is_usable();
  if (!by_counter && timer != monotonic_name) {
    throw Error(ErrorKind::usage,
                "there is no timer '" + timer + "' here: 'monotonic'" +
                    (counter_is_usable() ? std::string(" or '") + counter_name + "'"
                                         : std::string(" is the only one")));
  }
  const double ticks = by_counter ? ticks_per_ns() : 1;
  Measured measured;
  const rusage before = usage_of_thread();
  const int core_before = sched_getcpu();
  measured.start_ns = monotonic_ns();
  measured.interval_ns = by_counter ? interval_around<CounterClock>(invocation, iterations)
                                    : interval_around<MonotonicClock>(invocation, iterations);
  measured.interval_ns /= ticks;
  const rusage after = usage_of_thread();
  if (after.ru_nivcsw != before.ru_nivcsw) add_flag(measured.flags, "switched");
  if (sched_getcpu() != core_before) add_flag(measured.flags, "migrated");
  if (after.ru_majflt != before.ru_majflt) add_flag(measured.flags, "paged");
  return measured;
}

}  // namespace assay::device
