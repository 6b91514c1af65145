// SPDX-License-Identifier: MIT
#include "walk.hpp"

#include <cstring>

namespace bench {
namespace {

using Lanes = float __attribute__((vector_size(16)));

// Eight independent additions of four lanes: as fast as the data come, at -O2 too.
float sum(const float* x, std::int64_t n) {
  Lanes totals[8] = {};
  for (std::int64_t i = 0; i < n; i += 32) {
    for (int k = 0; k < 8; ++k) {
      Lanes values;
      std::memcpy(&values, x + i + 4 * k, sizeof values);
      totals[k] += values;
    }
  }
  for (int k = 1; k < 8; ++k) totals[0] += totals[k];
  return (totals[0][0] + totals[0][1]) + (totals[0][2] + totals[0][3]);
}

}  // namespace

std::int64_t sum_chunks(const float* x, std::int64_t n, std::int64_t chunk, std::int64_t count,
                        float* partial) {
  const std::int64_t elements = elements_of_chunk(n);
  const std::int64_t chunks = chunks_of(n);
  for (std::int64_t i = 0; i < count; ++i) {
    partial[chunk] = sum(x + chunk * elements, elements);
    if (++chunk == chunks) chunk = 0;
  }
  return chunk;
}

}  // namespace bench
