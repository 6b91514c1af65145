// SPDX-License-Identifier: MIT
//
// The work of bench/verdicts: float sums of which one subject does exactly k % more than another.
//
// An array is a circular stream of chunks, and a call sums the next 100 (the baseline) or 100 + k
// of them. So the effect is a number of iterations, given at run time: all subjects run the very
// same instructions on the same memory. A longer array instead would change alignment and what is
// in the cache. Each call goes on where the last one stopped, whoever made it: the distance since a
// chunk was last read is the array's length for all of them, and none finds its data nearer.
#pragma once

#include <cstdint>

namespace bench {

constexpr std::int64_t chunks_per_call = 100;
// Elements of a chunk: 64 KiB, or the array if that is smaller. An array of 1 Mi elements has 64
// chunks, so that one call reads each of them at least once.
constexpr std::int64_t chunk_elements = 16384;

// Sums `count` chunks of x from `chunk` on, at the end beginning anew; partial[c] becomes the sum
// of chunk c. Returns the chunk to go on with. n is a multiple of 32 and of the chunk's elements.
// In a file of its own, so that the compiler cannot make variants of it for the counts.
std::int64_t sum_chunks(const float* x, std::int64_t n, std::int64_t chunk, std::int64_t count,
                        float* partial);

constexpr std::int64_t elements_of_chunk(std::int64_t n) {
  return n < chunk_elements ? n : chunk_elements;
}
constexpr std::int64_t chunks_of(std::int64_t n) { return n / elements_of_chunk(n); }

}  // namespace bench
