// SPDX-License-Identifier: MIT
//
// How often the rules are wrong, and how often they find what is there, in simulated worlds at full
// size. Prints the tables of docs/explanation/statistics.md:
//
//   simulation [EXPERIMENTS [SEED]]
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "assay/stats/clopper_pearson.hpp"
#include "worlds.hpp"

namespace {

using namespace assay::stats;

void error_rates(worlds::Noise& noise, std::size_t experiments) {
  std::printf(
      "any wrong verdict, %% of %zu experiments (95 %% upper bound of the largest), SD 1 %%\n",
      experiments);
  std::printf("%-40s", "");
  for (const auto& truth : worlds::truths()) std::printf(" | %s", truth.name.c_str());
  std::puts("");
  std::size_t most = 0;
  for (const auto& world : worlds::all(0.01)) {
    std::printf("%-40s", world.name.c_str());
    for (const auto& truth : worlds::truths()) {
      std::size_t wrong = 0;
      for (std::size_t run = 0; run < experiments; ++run) {
        const auto outcome = worlds::experiment(noise, world, truth.mean, truth.theta);
        wrong += truth.makes_false(outcome.verdict) ? 1U : 0U;
      }
      most = std::max(most, wrong);
      std::printf(" | %5.2f", 100 * static_cast<double>(wrong) / static_cast<double>(experiments));
      std::fflush(stdout);
    }
    std::puts("");
  }
  std::printf("largest: %.2f (at most %.2f)\n",
              100 * static_cast<double>(most) / static_cast<double>(experiments),
              100 * clopper_pearson(most, experiments, 0.9).high);
}

void many_cells(worlds::Noise& noise, std::size_t experiments) {
  std::printf(
      "\nany wrong verdict per experiment, %%, A against A at margin 0; cells (all primaries): 1 6 "
      "12 24\n");
  const auto all = worlds::all(0.01);
  for (const auto& world : all) {
    std::printf("%-40s", world.name.c_str());
    for (const std::size_t primaries : {1U, 6U, 12U, 24U}) {
      std::size_t wrong = 0;
      for (std::size_t run = 0; run < experiments; ++run) {
        bool any = false;
        for (std::size_t cell = 0; cell < primaries && !any; ++cell) {
          any = worlds::experiment(noise, world, 0, 0, primaries).verdict != Verdict::inconclusive;
        }
        wrong += any ? 1U : 0U;
      }
      std::printf(" %5.2f", 100 * static_cast<double>(wrong) / static_cast<double>(experiments));
      std::fflush(stdout);
    }
    std::puts("");
  }
}

void power(worlds::Noise& noise, std::size_t experiments) {
  std::puts("\npower, normal differences: share with the right verdict (mean trials)");
  std::puts("SD %   +2 %, margin 1 %   no difference, margin 1 %   +1 %, margin 0.5 %");
  struct Question {
    double mean, theta;
    Verdict right;
  };
  const Question questions[] = {{std::log(1.02), std::log(1.01), Verdict::slower},
                                {0, std::log(1.01), Verdict::equivalent},
                                {std::log(1.01), std::log(1.005), Verdict::slower}};
  for (const double sd : {0.0025, 0.005, 0.008, 0.011, 0.02}) {
    std::printf("%4.2f", 100 * sd);
    const worlds::World world = worlds::all(sd).front();
    for (const Question& question : questions) {
      std::size_t right = 0;
      std::size_t trials = 0;
      for (std::size_t run = 0; run < experiments; ++run) {
        const auto outcome = worlds::experiment(noise, world, question.mean, question.theta);
        right += outcome.verdict == question.right ? 1U : 0U;
        trials += outcome.look;
      }
      std::printf("   %5.1f %% (%.1f)",
                  100 * static_cast<double>(right) / static_cast<double>(experiments),
                  static_cast<double>(trials) / static_cast<double>(experiments));
      std::fflush(stdout);
    }
    std::puts("");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t experiments = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  worlds::Noise noise(seed);
  error_rates(noise, experiments);
  many_cells(noise, experiments / 4);
  power(noise, experiments / 4);
  return 0;
}
