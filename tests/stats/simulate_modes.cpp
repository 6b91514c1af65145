// SPDX-License-Identifier: MIT
//
// Prints the tables of "Modes" in docs/explanation/statistics.md. Not a test; takes a minute:
//
//   cmake --build BUILD --target simulate_modes && BUILD/tests/stats/simulate_modes
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "assay/stats/dip.hpp"
#include "assay/stats/modality.hpp"

namespace {

using namespace assay;
using namespace assay::stats;

constexpr std::uint64_t kSeed = 20261130;
std::mt19937_64 engine(kSeed);
ModeFinder find_modes;

double normal() { return std::normal_distribution<>()(engine); }
double uniform() { return std::uniform_real_distribution<>()(engine); }
double mixed(double share, double distance) {
  return normal() + (uniform() < share ? distance : 0);
}

struct World {
  std::string name;
  std::function<double()> draw;
  double step = 0;
};

// Share of sets of one trial that are flagged; and of those, the share with two modes found.
void one_series(const World& world, bool undo_rounding) {
  constexpr int kSets = 400;
  std::printf("%-40s", world.name.c_str());
  for (const std::size_t count : {200U, 1000U, 4000U}) {
    int flagged = 0;
    int two = 0;
    for (int set = 0; set < kSets; ++set) {
      std::vector<double> values(count);
      for (double& v : values) v = 100 + world.draw();
      if (world.step > 0) {
        for (double& v : values) v = world.step * std::round(v / world.step);
      }
      values = dequantised(values, undo_rounding ? world.step : 0, engine());
      std::sort(values.begin(), values.end());
      if (dip_p_value(dip(values), count) >= kModalityAlpha) continue;
      ++flagged;
      two += find_modes(values).size() == 2 ? 1 : 0;
    }
    std::printf(" %.3f", flagged / static_cast<double>(kSets));
    if (flagged > kSets / 10) std::printf(" (two: %.2f)", two / static_cast<double>(flagged));
  }
  std::puts("");
}

// Trials of `samples` each: centre of the trial, then a sample's distance from it, in SD within.
void trials(const std::string& name, std::size_t samples, const std::function<double()>& centre,
            const std::function<double()>& distance) {
  constexpr int kSets = 300;
  std::printf("%-40s K=%-3zu", name.c_str(), samples);
  for (const std::size_t count : {8U, 16U, 64U}) {
    int pool = 0;
    int within = 0;
    int between = 0;
    int unsaid = 0;
    for (int set = 0; set < kSets; ++set) {
      std::vector<std::vector<double>> values(count);
      std::vector<double> all;
      for (auto& trial : values) {
        const double middle = 1000 + centre();
        for (std::size_t k = 0; k < samples; ++k) trial.push_back(middle + distance());
        all.insert(all.end(), trial.begin(), trial.end());
      }
      const std::vector<std::span<const double>> spans(values.begin(), values.end());
      const Modality result = *modality(spans, 0.0, engine(), find_modes);
      std::sort(all.begin(), all.end());
      pool += dip_p_value(dip(all), all.size()) < kModalityAlpha ? 1 : 0;
      within += result.p_within && *result.p_within < kModalityAlpha ? 1 : 0;
      between += result.p_between && *result.p_between < kModalityAlpha ? 1 : 0;
      unsaid += result.seen == ModesSeen::insufficient ? 1 : 0;
    }
    const auto share = [&](int hits) { return hits / static_cast<double>(kSets); };
    std::printf(" | %.3f %.3f %.3f %.3f", share(pool), share(within), share(between),
                share(unsaid));
  }
  std::puts("");
}

}  // namespace

int main() {
  double ar = 0;
  const auto autocorrelated = [&] { return ar = 0.9 * ar + std::sqrt(0.19) * normal(); };
  std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
  std::puts("flagged at p < 0.01, n = 200 1000 4000");
  one_series({"normal", normal}, false);
  one_series({"lognormal, 0.5", [] { return std::exp(0.5 * normal()); }}, false);
  one_series({"exponential", [] { return -std::log1p(-uniform()); }}, false);
  one_series({"uniform", uniform}, false);
  one_series({"AR(1), 0.9", autocorrelated}, false);
  for (const double step : {0.1, 0.25, 1.0, 4.0}) {
    const World rounded{"normal, rounded to SD times " + std::to_string(step), normal, step};
    one_series(rounded, false);
    one_series({rounded.name + ", moved", normal, step}, true);
  }
  one_series({"70/30, 3 SD", [] { return mixed(0.3, 3); }}, false);
  one_series({"70/30, 4 SD", [] { return mixed(0.3, 4); }}, false);
  one_series({"70/30, 6 SD", [] { return mixed(0.3, 6); }}, false);
  one_series({"50/50, 4 SD", [] { return mixed(0.5, 4); }}, false);
  one_series({"5 % 5 SD slower", [] { return mixed(0.05, 5); }}, false);

  std::puts("\nflagged: pool, within, between, insufficient; for 8 | 16 | 64 trials");
  const auto spread = [](double sd) { return [sd] { return sd * normal(); }; };
  const auto none = [] { return 0.0; };
  for (const std::size_t k : {4U, 6U, 20U}) trials("normal, trials like samples", k, none, normal);
  for (const std::size_t k : {4U, 20U}) {
    trials("normal, trials spread 1 SD", k, spread(1), normal);
    trials("normal, trials spread 3 SD", k, spread(3), normal);
  }
  trials("lognormal, trials spread 3 SD", 20, spread(3), [] { return std::exp(0.5 * normal()); });
  trials("normal, 2 % at 50 SD, spread 3 SD", 20, spread(3), [] { return mixed(0.02, 50); });
  trials(
      "two cores 10 SD apart", 20, [] { return mixed(0.5, 10); }, normal);
  trials(
      "two cores 10 SD apart, spread 3 SD", 20, [] { return 3 * mixed(0.5, 10 / 3.0); }, normal);
  trials(
      "two cores 10 SD apart, lognormal", 20, [] { return mixed(0.5, 10); },
      [] { return std::exp(0.5 * normal()); });
  trials("70/30 within, 4 SD", 20, none, [] { return mixed(0.3, 4); });
  trials("70/30 within, 6 SD, spread 1 SD", 20, spread(1), [] { return mixed(0.3, 6); });
  trials("70/30 within, 4 SD, spread 1 SD", 20, spread(1), [] { return mixed(0.3, 4); });
  trials("50/50 within, 4 SD, spread 1 SD", 20, spread(1), [] { return mixed(0.5, 4); });
  trials("50/50 within, 6 SD, spread 3 SD", 20, spread(3), [] { return mixed(0.5, 6); });
}
