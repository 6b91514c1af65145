// SPDX-License-Identifier: MIT
//
// What a reading of the processor's telemetry takes: whole, and of the time between two blocks.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "assay/base/time.hpp"
#include "assay/device/cpu/cpu.hpp"

int main() {
  assay::device::Cpu cpu;
  const std::int64_t opened_ns = assay::monotonic_ns();
  cpu.telemetry();
  std::printf("the first reading, with what it opens: %.1f us\n",
              static_cast<double>(assay::monotonic_ns() - opened_ns) * 1e-3);
  // A block every 20 ms, as short ones are, with a reading before and after.
  constexpr int blocks = 500;
  std::vector<double> took_ns;
  int whole = 0;
  std::int64_t all_ns = 0;
  const std::int64_t began_ns = assay::monotonic_ns();
  for (int block = 0; block < blocks; ++block) {
    const std::int64_t until_ns = began_ns + block * std::int64_t{20'000'000};
    while (assay::monotonic_ns() < until_ns) {
    }
    cpu.begin({});
    for (int reading = 0; reading < 2; ++reading) {
      const auto telemetry = cpu.telemetry();
      all_ns += telemetry->took_ns;
      if (telemetry->of(assay::Field::busy_ns)) {
        ++whole;
        took_ns.push_back(static_cast<double>(telemetry->took_ns));
      }
    }
  }
  std::sort(took_ns.begin(), took_ns.end());
  const double run_ns = static_cast<double>(assay::monotonic_ns() - began_ns);
  std::printf("a whole reading: %.1f us (median), %.1f us (95 %%)\n",
              took_ns[took_ns.size() / 2] * 1e-3, took_ns[took_ns.size() * 95 / 100] * 1e-3);
  std::printf("whole: %d of %d readings; share of the time: %.3f %%\n", whole, 2 * blocks,
              static_cast<double>(all_ns) / run_ns * 100);
}
