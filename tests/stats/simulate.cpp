// SPDX-License-Identifier: MIT
//
// Prints the simulated tables of docs/explanation/statistics.md. Not a test; takes a minute:
//
//   cmake --build BUILD --target simulate_stats && BUILD/tests/stats/simulate_stats
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/stats/comparison.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/skewness.hpp"
#include "many_comparisons.hpp"

namespace {

using namespace assay;
using namespace assay::stats;

constexpr std::array<std::size_t, 5> kLooks{8, 16, 32, 64, 128};

struct World {
  std::string name;
  std::function<double()> draw;
};

std::mt19937_64 engine(20261129);

double normal() { return std::normal_distribution<>()(engine); }
double uniform() { return std::uniform_real_distribution<>()(engine); }
double slow(double share) { return uniform() < share ? 6.0 : 0.0; }

std::vector<double> draw(std::size_t count, const World& world) {
  std::vector<double> values(count);
  for (double& v : values) v = world.draw();
  return values;
}

void skewness_table() {
  constexpr int kSets = 4000;
  std::student_t_distribution<> t3(3);
  const std::vector<World> worlds{
      {"normal", normal},
      {"t3", [&] { return t3(engine); }},
      {"Laplace", [] { return (uniform() < 0.5 ? 1 : -1) * std::log1p(-uniform()); }},
      {"uniform", uniform},
      {"two modes, 6 SD apart", [] { return normal() + (uniform() < 0.5 ? 3 : -3); }},
      {"slow on both sides, 10 %", [] { return normal() + slow(0.1) - slow(0.1); }},
      {"slow on one side, 10 %", [] { return normal() + slow(0.1); }},
      {"slow on one side, 20 %", [] { return normal() + slow(0.2); }},
      {"exponential", [] { return -std::log1p(-uniform()); }},
  };
  std::puts("share of sets with p of skewness at most 0.01, J = 8 16 32 64 128");
  for (const auto& world : worlds) {
    std::printf("%-28s", world.name.c_str());
    for (const std::size_t look : kLooks) {
      int found = 0;
      for (int set = 0; set < kSets; ++set) {
        const auto result = skewness(draw(look, world), engine());
        found += result && result->p <= 0.01 ? 1 : 0;
      }
      std::printf(" %.3f", found / static_cast<double>(kSets));
    }
    std::puts("");
  }
}

// Verdict of one experiment; equivalent counts only from `least` trials.
Verdict experiment(std::span<const double> differences, double theta, double skewness_alpha,
                   std::size_t least) {
  const double level = level_per_look(0.05, kLooks.size());
  for (const std::size_t look : kLooks) {
    const auto outcome = judge_look(differences.first(look),
                                    {.theta = theta,
                                     .interval_alpha = level,
                                     .guard_alpha = level,
                                     .skewness_alpha = skewness_alpha},
                                    Missing{"none", "simulated"});
    const bool too_early = outcome.verdict == Verdict::equivalent && look < least;
    if (outcome.verdict != Verdict::inconclusive && !too_early) return outcome.verdict;
  }
  return Verdict::inconclusive;
}

void slow_trials_table() {
  constexpr int kExperiments = 1500;
  constexpr double sd = 0.003;
  const double theta = std::log(1.01);
  struct Variant {
    const char* name;
    double skewness_alpha;
    std::size_t least;
  };
  std::puts("\ncandidate slow in 10 % of trials, mean on the margin: equivalent | faster, wrongly");
  for (const auto& variant :
       {Variant{"no skewness test", 0, 0}, Variant{"skewness test", 0.01, 0},
        Variant{"and equivalent from 16", 0.01, 16}, Variant{"and equivalent from 32", 0.01, 32},
        Variant{"and equivalent from 64", 0.01, 64}}) {
    int equivalent = 0;
    int faster = 0;
    for (int run = 0; run < kExperiments; ++run) {
      const auto on = [&](double mean) {
        return World{"", [=] { return mean + sd * (normal() + slow(0.1) - 0.6); }};
      };
      const auto verdict_of = [&](double mean) {
        return experiment(draw(kLooks.back(), on(mean)), theta, variant.skewness_alpha,
                          variant.least);
      };
      equivalent += verdict_of(theta) == Verdict::equivalent ? 1 : 0;
      faster += verdict_of(-theta) == Verdict::faster ? 1 : 0;
    }
    std::printf("%-28s %.3f | %.3f\n", variant.name, equivalent / static_cast<double>(kExperiments),
                faster / static_cast<double>(kExperiments));
  }
}

void many_table() {
  constexpr std::size_t kExperiments = 1000;
  std::puts(
      "\n100 cases, 80 on the margin of 1 %, 20 at 3 %, 10 trials, SD 1 %: any wrong unadjusted | "
      "share of wrong ones by Benjamini-Hochberg, power | any wrong by Bonferroni");
  for (const double correlation : {0.0, 0.5}) {
    const auto rates = wrong_among_many(kExperiments, correlation, normal);
    const double runs = static_cast<double>(kExperiments);
    std::printf("shared drift %.1f: %.3f | %.4f, %.3f | %.4f\n", correlation,
                static_cast<double>(rates.uncorrected) / runs, rates.false_share, rates.power,
                static_cast<double>(rates.any_wrong) / runs);
  }
}

// How often a verdict comes with as many trials as a look of eight said that it needs, when the
// look's mean and spread are the true ones.
void trials_needed_table() {
  constexpr int kExperiments = 4000;
  std::puts("\ntrials needed at level 0.01, SD 1 %: mean, margin, trials, share decided");
  for (const auto& [mean, theta] :
       {std::pair{0.004, 0.0}, std::pair{0.02, 0.01}, std::pair{0.015, 0.01},
        std::pair{0.005, 0.01}, std::pair{0.0, 0.009}}) {
    std::vector<double> pilot;
    for (int i = 0; i < 8; ++i) {
      pilot.push_back(mean + 0.01 * std::sqrt(7.0 / 8) * (i % 2 == 0 ? 1 : -1));
    }
    const LookRule rule{.theta = theta};
    const auto outcome = judge_look(pilot, rule, Missing{"none", "simulated"});
    if (!outcome.trials_needed) continue;
    const Verdict wanted = std::abs(mean) < theta ? Verdict::equivalent : Verdict::slower;
    int decided = 0;
    for (int run = 0; run < kExperiments; ++run) {
      const double centre = mean;
      const auto values = draw(static_cast<std::size_t>(*outcome.trials_needed),
                               World{"", [=] { return centre + 0.01 * normal(); }});
      const auto interval = look_interval(values, rule.interval_alpha);
      decided += region_of(interval, theta) == wanted ? 1 : 0;
    }
    std::printf("%.3f %.3f %4.0f %.3f\n", mean, theta, *outcome.trials_needed,
                decided / static_cast<double>(kExperiments));
  }
}

}  // namespace

int main() {
  skewness_table();
  slow_trials_table();
  many_table();
  trials_needed_table();
}
