// SPDX-License-Identifier: MIT
#include "assay/device/cpu/counter.hpp"

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace assay::device {

#if defined(__x86_64__)

bool counter_is_usable() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned rdtscp = 1U << 27;
  constexpr unsigned invariant = 1U << 8;
  const bool has_rdtscp =
      __get_cpuid(0x80000001U, &eax, &ebx, &ecx, &edx) != 0 && (edx & rdtscp) != 0;
  return has_rdtscp && __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & invariant) != 0;
}

namespace {

struct Instant {
  std::int64_t raw_ns;
  std::uint64_t ticks;
};

// The counter between two readings of the clock; of several tries the one with the closest two.
Instant paired_instant() {
  const auto raw_ns = [] {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  Instant best{};
  std::int64_t closest_ns = INT64_MAX;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::int64_t before = raw_ns();
    const std::uint64_t ticks = counter_start();
    const std::int64_t after = raw_ns();
    if (after - before < closest_ns) {
      closest_ns = after - before;
      best = {before + (after - before) / 2, ticks};
    }
  }
  return best;
}

}  // namespace

double counter_ticks_per_ns() {
  // 2 ms between two readings that are known to some 20 ns each: twenty parts in a million. Every
  // worker process pays for it.
  constexpr std::int64_t span_ns = 2'000'000;
  const Instant first = paired_instant();
  Instant last = first;
  while (last.raw_ns - first.raw_ns < span_ns) last = paired_instant();
  return static_cast<double>(last.ticks - first.ticks) /
         static_cast<double>(last.raw_ns - first.raw_ns);
}

#elif defined(__aarch64__)

bool counter_is_usable() { return true; }  // the architecture promises a constant rate

double counter_ticks_per_ns() {
  std::uint64_t frequency_hz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(frequency_hz));
  return static_cast<double>(frequency_hz) * 1e-9;
}

#else

bool counter_is_usable() { return false; }
double counter_ticks_per_ns() { return 1; }

#endif

}  // namespace assay::device
