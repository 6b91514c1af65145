// SPDX-License-Identifier: MIT
//
// Writes src/assay/stats/detail/dip_quantiles.hpp: quantiles of the dip of uniform samples. Not a
// test; takes a minute. The values depend on the seed below and on nothing else:
//
//   cmake --build BUILD --target simulate_dip
//   BUILD/tests/stats/simulate_dip > src/assay/stats/detail/dip_quantiles.hpp
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/dip.hpp"

namespace {

constexpr std::uint64_t kSeed = 20261130;
constexpr std::array<std::size_t, 21> kCounts{4,  5,  6,  7,  8,   9,   10,  12,   14,   16,   20,
                                              24, 32, 48, 64, 128, 256, 512, 1024, 4096, 16384};
constexpr std::array<double, 17> kProbabilities{
    0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999};

std::size_t sets_of(std::size_t count) { return count <= 1024 ? 100'000 : 20'000; }

// Sorted uniform values, up to scale, are running sums of exponential ones: no sorting.
std::vector<double> scaled_dips(std::size_t count) {
  assay::Random random(assay::derive_key(kSeed, {"dip", std::to_string(count)}));
  std::vector<double> values(count);
  std::vector<double> dips(sets_of(count));
  for (double& scaled : dips) {
    double sum = 0;
    for (double& value : values) value = sum -= std::log1p(-random.next_uniform());
    scaled = std::sqrt(static_cast<double>(count)) * assay::stats::dip(values);
  }
  std::sort(dips.begin(), dips.end());
  return dips;
}

}  // namespace

int main() {
  std::puts(
      "// SPDX-License-Identifier: MIT\n//\n"
      "// Written by tests/stats/simulate_dip.cpp with seed 20261130. Do not edit: run it again.\n"
      "//\n"
      "// Quantiles of sqrt(n)·dip of n uniform values: a row for each n, a column for each\n"
      "// probability; from 100,000 samples up to n = 1024, from 20,000 above.\n"
      "#pragma once\n\n#include <array>\n\n// clang-format off\nnamespace assay::stats::detail "
      "{\n");
  std::printf("inline constexpr std::array<double, %zu> kLogDipCounts{", kCounts.size());
  for (const std::size_t count : kCounts) {
    std::printf("%s%.17g", count == kCounts.front() ? "" : ", ",
                std::log(static_cast<double>(count)));
  }
  std::printf("};\ninline constexpr std::array<double, %zu> kDipProbabilities{",
              kProbabilities.size());
  for (const double p : kProbabilities) std::printf("%s%g", p == 0 ? "" : ", ", p);
  std::printf("};\ninline constexpr std::array<std::array<double, %zu>, %zu> kDipQuantiles{{\n",
              kProbabilities.size(), kCounts.size());
  for (const std::size_t count : kCounts) {
    const std::vector<double> dips = scaled_dips(count);
    std::printf("    {");
    for (const double p : kProbabilities) {
      // No dip is smaller than half a step.
      const double quantile =
          p == 0 ? 0.5 / std::sqrt(static_cast<double>(count))
                 : dips[static_cast<std::size_t>(p * static_cast<double>(dips.size()))];
      std::printf("%s%.4f", p == 0 ? "" : ", ", quantile);
    }
    std::printf("},  // n = %zu\n", count);
    std::fflush(stdout);
  }
  std::puts("}};\n\n}  // namespace assay::stats::detail\n// clang-format on");
}
