// SPDX-License-Identifier: MIT
#include "assay/device/cpu/flush.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace assay::device {
namespace {

// f(address) for every line that holds one of the bytes.
template <typename F>
inline __attribute__((always_inline)) void for_each_line(const void* data, std::size_t bytes,
                                                         std::size_t line_bytes, F&& f) {
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t line = first & ~(line_bytes - 1); line < end; line += line_bytes) {
    f(reinterpret_cast<void*>(line));
  }
}

#if defined(__x86_64__)

struct Abilities {
  bool clflushopt = false;
  std::size_t line_bytes = 64;
};

Abilities look_up_abilities() {
  Abilities abilities;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && ((ebx >> 8) & 0xffU) != 0) {
    abilities.line_bytes = ((ebx >> 8) & 0xffU) * 8;
  }
  constexpr unsigned clflushopt = 1U << 23;
  abilities.clflushopt =
      __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & clflushopt) != 0;
  return abilities;
}

const Abilities& abilities() {
  static const Abilities found = look_up_abilities();
  return found;
}

// A loop of its own: always_inline lambdas do not take over the target of the function around them.
__attribute__((target("clflushopt"))) void flush_unordered(std::uintptr_t line, std::uintptr_t end,
                                                           std::size_t line_bytes) {
  for (; line < end; line += line_bytes) _mm_clflushopt(reinterpret_cast<void*>(line));
}

#elif defined(__aarch64__)

std::size_t line_bytes_of_cache() {
  std::uint64_t type = 0;
  asm volatile("mrs %0, ctr_el0" : "=r"(type));
  return std::size_t{4} << ((type >> 16) & 0xfU);  // DminLine: log2 of the words of a line
}

#endif

}  // namespace

#if defined(__x86_64__)

const char* flush_method() { return abilities().clflushopt ? "clflushopt" : "clflush"; }

void flush_lines(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const Abilities& here = abilities();
  if (here.clflushopt) {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    flush_unordered(first & ~(here.line_bytes - 1), first + bytes, here.line_bytes);
  } else {
    for_each_line(data, bytes, here.line_bytes, [](void* line) { _mm_clflush(line); });
  }
}

void wait_for_flushes() { _mm_mfence(); }

#elif defined(__aarch64__)

const char* flush_method() { return "dc civac"; }

void flush_lines(const void* data, std::size_t bytes) {
  static const std::size_t line_bytes = line_bytes_of_cache();
  for_each_line(data, bytes, line_bytes, [](void* line) {
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
  });
}

void wait_for_flushes() { asm volatile("dsb sy\n\tisb" : : : "memory"); }

#else

const char* flush_method() { return "none"; }
void flush_lines(const void*, std::size_t) {}
void wait_for_flushes() {}

#endif

}  // namespace assay::device
