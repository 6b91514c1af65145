// SPDX-License-Identifier: MIT
//
// What the loop around a subject costs: Assay's loop and Google Benchmark's, both around nothing,
// in one process and in turns.
//
//   empty_iteration                      prints ns per iteration of both and their ratio
//   empty_iteration assay|google COUNT   runs one loop COUNT times, for counting instructions
#include <benchmark/benchmark.h>

#include <algorithm>
#include <assay/assay.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

// As a user writes an empty subject; the loop is reached as the worker reaches it, by a virtual
// call per sample.
std::unique_ptr<assay::detail::Loop> empty_subject() {
  const auto nothing = [] {};
  return std::make_unique<assay::detail::LoopOf<decltype(nothing)>>(nothing);
}

// With nothing at all in its body the compiler removes the loop; Assay's has such a barrier of its
// own.
void google_empty(benchmark::State& state) {
  for (auto _ : state) benchmark::ClobberMemory();
}

// Keeps the time of the one benchmark instead of printing it.
class Keeper final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      ns_per_iteration = run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9;
  }
  double ns_per_iteration = 0;
};

double assay_ns(assay::detail::Loop& loop, assay::Context& context, std::int64_t iterations) {
  const auto start = std::chrono::steady_clock::now();
  loop.run(context, iterations);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(iterations);
}

double google_ns() {
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  return keeper.ns_per_iteration;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool one_loop = argc == 3;
  const std::string which = one_loop ? argv[1] : "";
  if (argc != 1 && which != "assay" && which != "google") {
    std::fprintf(stderr, "usage: %s [assay|google COUNT]\n", argv[0]);
    return 2;
  }
  const std::int64_t iterations = one_loop ? std::atoll(argv[2]) : 100'000'000;
  benchmark::RegisterBenchmark("empty", google_empty)->Iterations(iterations);
  const assay::Case no_axes;
  assay::Context context(&no_axes, {}, {}, 1, nullptr, nullptr);
  const std::unique_ptr<assay::detail::Loop> loop = empty_subject();

  if (which == "assay") {
    loop->run(context, iterations);
  } else if (which == "google") {
    google_ns();
  } else {
    constexpr int rounds = 21;
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      // In turns, so that a change of the clock hits both.
      const bool first = round % 2 == 0;
      if (first) ours.push_back(assay_ns(*loop, context, iterations));
      theirs.push_back(google_ns());
      if (!first) ours.push_back(assay_ns(*loop, context, iterations));
      ratios.push_back(ours.back() / theirs.back());
    }
    std::printf("Assay             %6.3f ns per empty iteration\n", median(ours));
    std::printf("Google Benchmark  %6.3f ns per empty iteration\n", median(theirs));
    std::printf("ratio             %6.3f    median of %d pairs\n", median(ratios), rounds);
  }
  return 0;
}
