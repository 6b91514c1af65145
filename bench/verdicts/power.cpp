// SPDX-License-Identifier: MIT
//
// What the rules would say, simulated: verdict_power SD EFFECT MARGIN LOOKS [REPEATS [SEED]].
//
// Differences between trials are drawn normal, of mean log(1 + EFFECT) and standard deviation SD
// (of the log ratio, 0.01 is 1 %), and put through the product's own judge_look at each of LOOKS
// ("8,16,32,64"), as the one primary of a plan. Prints the share of each verdict and the mean
// number of trials. bench/verdicts/verdicts.py holds its live results against this.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "assay/stats/comparison.hpp"

namespace {

constexpr double alpha = 0.05;  // the plan's default

double normal(assay::Random& random) {  // Box–Muller
  const double radius = std::sqrt(-2 * std::log(1 - random.next_uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.next_uniform());
}

std::vector<std::size_t> looks_from(const std::string& text) {
  std::vector<std::size_t> looks;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find(',', at), text.size()) + 1) {
    looks.push_back(std::strtoull(text.c_str() + at, nullptr, 10));
  }
  return looks;
}

void simulate(double sd, double effect, double margin, const std::vector<std::size_t>& looks,
              int repeats, std::uint64_t seed) {
  using assay::stats::Verdict;
  assay::stats::LookRule rule;
  rule.theta = std::log1p(margin);
  rule.interval_alpha = rule.guard_alpha = alpha / static_cast<double>(looks.size());
  // A timer far finer than the spread: what the clock adds is nothing.
  const assay::stats::Resolution resolution{1e-15, 10, {1e-3, 1e-9}, {1e-3, 1e-9}};
  int faster = 0;
  int equivalent = 0;
  int slower = 0;
  double trials = 0;
  assay::Random random(assay::derive_key(seed, {"power"}));
  for (int i = 0; i < repeats; ++i) {
    std::vector<double> differences;
    Verdict verdict = Verdict::inconclusive;
    for (const std::size_t look : looks) {
      while (differences.size() < look) {
        differences.push_back(std::log1p(effect) + sd * normal(random));
      }
      rule.seed = assay::derive_key(seed, {"flips", std::to_string(i)});
      verdict = assay::stats::judge_look(differences, rule, resolution).verdict;
      if (verdict != Verdict::inconclusive) break;
    }
    faster += verdict == Verdict::faster;
    equivalent += verdict == Verdict::equivalent;
    slower += verdict == Verdict::slower;
    trials += static_cast<double>(differences.size());
  }
  std::printf(
      "{\"faster\": %.4f, \"equivalent\": %.4f, \"slower\": %.4f, \"trials\": %.2f, "
      "\"repeats\": %d, \"seed\": %llu}\n",
      double(faster) / repeats, double(equivalent) / repeats, double(slower) / repeats,
      trials / repeats, repeats, static_cast<unsigned long long>(seed));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 7) {
    std::fputs("usage: verdict_power SD EFFECT MARGIN LOOKS [REPEATS [SEED]]\n", stderr);
    return 2;
  }
  simulate(std::atof(argv[1]), std::atof(argv[2]), std::atof(argv[3]), looks_from(argv[4]),
           argc > 5 ? std::atoi(argv[5]) : 2000,
           argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1);
}
