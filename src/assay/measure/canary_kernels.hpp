// SPDX-License-Identifier: MIT
//
// The two canary kernels. Fixed work, fixed counts, compiled by themselves with flags of their own
// (see CMakeLists.txt), so that their machine code does not depend on the program, on the build
// type or on what was inlined: when their times change, something else than code changed. One sees
// the clock of the core, the other the way to memory; neither measures anything of the user's.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::measure {

// A chain of 32,768 steps, each of which needs the one before, in registers: some 60 µs at 3 GHz.
// It follows the clock of its core and nothing else.
std::uint64_t canary_compute(std::uint64_t start) noexcept;

// Reads one word of every 64-byte line of `bytes` in order. Loads do not wait for each other, so
// the time is that of the lines' way to the core.
std::uint64_t canary_memory(const std::uint64_t* words, std::size_t bytes) noexcept;

}  // namespace assay::measure
