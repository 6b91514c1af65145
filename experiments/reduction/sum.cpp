// SPDX-License-Identifier: MIT
#include "sum.hpp"

#include <algorithm>

namespace reduction {

float sum_naive(const float* x, std::int64_t n) {
  float total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

float sum_pairwise(const float* x, std::int64_t n) {
  constexpr std::int64_t block = 64;
  if (n <= block) return sum_naive(x, n);
  // A multiple of the block, so that only the last block is a partial one.
  const std::int64_t half = (n / 2 + block - 1) / block * block;
  return sum_pairwise(x, half) + sum_pairwise(x + half, n - half);
}

float sum_threaded(ThreadPool& pool, const float* x, std::int64_t n) {
  // Parts end on a cache line, so that no line is read by two threads.
  constexpr std::int64_t line = 16;
  const std::int64_t part = (n / pool.size() + line) / line * line;
  pool.run([&](int thread) {
    const std::int64_t first = std::min(n, thread * part);
    const std::int64_t last = std::min(n, first + part);
    pool.result(thread) = sum_vectorised(x + first, last - first);
  });
  float total = 0;
  for (int thread = 0; thread < pool.size(); ++thread) total += pool.result(thread);
  return total;
}

}  // namespace reduction
