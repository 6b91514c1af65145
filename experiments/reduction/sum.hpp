// SPDX-License-Identifier: MIT
//
// Four ways to add up an array of floats. Each lies in an object file of its own or is kept from
// being inlined, so that what is measured is the function that a caller would call.
#pragma once

#include <cstdint>
#include <string>

#include "thread_pool.hpp"

namespace reduction {

// One accumulator, from the first element to the last. IEEE addition may not be reordered, so every
// addition waits for the one before it.
float sum_naive(const float* x, std::int64_t n);

// Halves the array down to blocks of 64 elements, adds those in order, and adds the halves: the
// rounding error grows with log n instead of n.
float sum_pairwise(const float* x, std::int64_t n);

// Eight vector accumulators of whatever width the processor has; Highway picks the instruction set
// at run time.
float sum_vectorised(const float* x, std::int64_t n);

// The instruction set that sum_vectorised() takes here, as Highway names it: "AVX3", "NEON".
std::string vector_target();

// One contiguous part per thread of the pool, each added up by sum_vectorised().
float sum_threaded(ThreadPool& pool, const float* x, std::int64_t n);

}  // namespace reduction
