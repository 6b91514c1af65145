// SPDX-License-Identifier: MIT
#include "noise.hpp"

#include <array>
#include <cstring>

namespace assay::probe {
namespace {

using Vector = float __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;
constexpr std::size_t kChains = 8;
static_assert(kRecurrenceWidth == kLanes * kChains);

// An addition takes about four cycles and two can start in each: eight chains keep both adders
// busy.
using Chains = std::array<Vector, kChains>;

Vector load(const float* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

}  // namespace

float sum(const float* x, std::size_t n) {
  Chains chains{};
  std::size_t i = 0;
  for (; i + kLanes * kChains <= n; i += kLanes * kChains) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kChains; ++c) chains[c] += load(x + i + c * kLanes);
  }
  for (std::size_t c = 1; c < kChains; ++c) chains[0] += chains[c];
  float total = (chains[0][0] + chains[0][1]) + (chains[0][2] + chains[0][3]);
  for (; i < n; ++i) total += x[i];
  return total;
}

void recurrence(const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i + kRecurrenceWidth <= n; i += kRecurrenceWidth) {
    Chains values{};
    Chains input{};
#pragma GCC unroll 8
    for (std::size_t c = 0; c < kChains; ++c) input[c] = load(x + i + c * kLanes);
    for (int step = 0; step < kRecurrenceSteps; ++step) {
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kChains; ++c) {
        values[c] = values[c] * kRecurrenceFactor + input[c];
      }
    }
    std::memcpy(y + i, values.data(), sizeof values);
  }
}

}  // namespace assay::probe
