// SPDX-License-Identifier: MIT
//
// Optimisation barriers without instructions: they tell the compiler that a value, or all memory,
// is looked at.
//
// Most subjects need neither: the loop that calls a subject already makes each iteration's stores
// to its outputs, and the value that it returns, observable.
#pragma once

#include <type_traits>

namespace assay {

// The value must exist, in a register or in memory. A value that fits a register is not forced
// through memory.
template <typename T>
inline __attribute__((always_inline)) void do_not_optimize(const T& value) {
  if constexpr (std::is_trivially_copyable<T>::value && sizeof(T) <= sizeof(void*)) {
    asm volatile("" : : "r,m"(value) : "memory");
  } else {
    asm volatile("" : : "m"(value) : "memory");
  }
}

// All pending stores to memory that others can reach must be done.
inline __attribute__((always_inline)) void clobber() { asm volatile("" : : : "memory"); }

}  // namespace assay
