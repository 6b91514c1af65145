// SPDX-License-Identifier: MIT
//
// How often the rules are wrong, and how often they find what is there, in simulated worlds at full
// size. Prints the tables of docs/explanation/statistics.md:
//
//   simulation [EXPERIMENTS [SEED [worlds|cells|power|room]]]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "assay/stats/clopper_pearson.hpp"
#include "assay/stats/student.hpp"
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

// What the room for rare slow trials is worth, and why it is as wide as it is: the interval alone,
// A against A at margin 0, each of the cells at the level of so many primaries.
void room(worlds::Noise& noise, std::size_t experiments) {
  constexpr std::array<double, 4> rooms{0, 1, 1.3, kUnseenTrialSds};
  constexpr std::array<std::size_t, 5> cells{1, 3, 6, 12, 24};
  std::printf(
      "\nthe interval alone with other room, A against A at margin 0, %zu series: any wrong "
      "verdict "
      "per experiment, %%, of 1 3 6 12 24 independent cells\n",
      experiments);
  std::vector<worlds::World> shown = worlds::all(0.01);
  std::erase_if(shown, [](const worlds::World& world) {
    return world.name != "normal" && !world.name.starts_with("rare slow mode in one");
  });
  shown.push_back(
      {"rare slow mode in one, 2 % by 20 SD",
       worlds::independent([](worlds::Noise& n) { return worlds::slow(n, 0.02, 20) + n.normal(); },
                           0.01)});
  for (const auto& world : shown) {
    std::array<std::array<std::size_t, cells.size()>, rooms.size()> wrong{};
    for (std::size_t run = 0; run < experiments; ++run) {
      const auto values = world.draw(noise, worlds::kLooks.back(), 0);
      std::array<std::array<bool, cells.size()>, rooms.size()> is_wrong{};
      for (const std::size_t look : worlds::kLooks) {
        const auto first = std::span(values).first(look);
        const double distance = std::abs(mean(first));
        const double sd = *standard_deviation(first);
        const double trials = static_cast<double>(look);
        for (std::size_t m = 0; m < cells.size(); ++m) {
          const double alpha = level_per_look(0.05, worlds::kLooks.size(), cells[m]);
          const double t = -t_quantile(alpha / 2, trials - 1);
          for (std::size_t r = 0; r < rooms.size(); ++r) {
            const double half_width =
                t * sd / std::sqrt(trials) + rooms[r] * std::log(1 / alpha) * sd / trials;
            is_wrong[r][m] = is_wrong[r][m] || distance > half_width;
          }
        }
      }
      for (std::size_t r = 0; r < rooms.size(); ++r) {
        for (std::size_t m = 0; m < cells.size(); ++m) wrong[r][m] += is_wrong[r][m] ? 1U : 0U;
      }
    }
    for (std::size_t r = 0; r < rooms.size(); ++r) {
      std::printf("%-36s room %.1f", world.name.c_str(), rooms[r]);
      for (std::size_t m = 0; m < cells.size(); ++m) {
        const double each = static_cast<double>(wrong[r][m]) / static_cast<double>(experiments);
        std::printf(" %5.2f", 100 * (1 - std::pow(1 - each, static_cast<double>(cells[m]))));
      }
      std::puts("");
    }
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
  const std::string only = argc > 3 ? argv[3] : "";
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  // A stream of its own for each table, so that one can be printed alone.
  const auto print = [&](const char* name, std::uint64_t stream, auto table, std::size_t runs) {
    if (!only.empty() && only != name) return;
    worlds::Noise noise(seed + stream);
    table(noise, runs);
  };
  print("worlds", 0, error_rates, experiments);
  print("cells", 1000, many_cells, experiments / 4);
  print("power", 2000, power, experiments / 4);
  print("room", 3000, room, 15 * experiments);
  return 0;
}
