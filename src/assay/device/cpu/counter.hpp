// SPDX-License-Identifier: MIT
//
// The processor's own counter: the invariant TSC on x86, CNTVCT on AArch64. Read without a call
// into the system, in order with the instructions around it. Internal to device.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace assay::device {

// Absent where there is none, or where it is not invariant (its rate would follow the clock).
inline constexpr const char* counter_name =
#if defined(__x86_64__)
    "tsc";
#else
    "cntvct";
#endif
bool counter_is_usable();

// Ticks per nanosecond, from the architecture or measured against CLOCK_MONOTONIC_RAW (takes 20
// ms).
double counter_ticks_per_ns();

// All earlier instructions are done before the counter is read, no later one has begun.
inline std::uint64_t counter_start() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t ticks = __rdtsc();
  _mm_lfence();
  return ticks;
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
  return ticks;
#else
  return 0;
#endif
}

// All earlier instructions are done before the counter is read (RDTSCP waits for them), no later
// one has begun.
inline std::uint64_t counter_stop() {
#if defined(__x86_64__)
  unsigned processor = 0;
  const std::uint64_t ticks = __rdtscp(&processor);
  _mm_lfence();
  return ticks;
#else
  return counter_start();
#endif
}

}  // namespace assay::device
