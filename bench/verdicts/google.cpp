// SPDX-License-Identifier: MIT
//
// The same work under Google Benchmark: sum/N/EXTRA. One side of a comparison a process, as its
// users do it; bench/verdicts/verdicts.py compares two.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "walk.hpp"

namespace {

void sum(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  const std::int64_t count = bench::chunks_per_call + state.range(1);
  std::vector<float> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) - 8;
  std::vector<float> partial(static_cast<std::size_t>(bench::chunks_of(n)));
  std::int64_t chunk = 0;
  for (auto _ : state) {
    chunk = bench::sum_chunks(x.data(), n, chunk, count, partial.data());
    benchmark::DoNotOptimize(partial.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(sum)->ArgsProduct({{4096, 65536, 1048576}, {0, 1, 2}});

}  // namespace

BENCHMARK_MAIN();
