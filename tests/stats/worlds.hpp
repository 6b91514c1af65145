// SPDX-License-Identifier: MIT
//
// Worlds of which the truth is known: how the differences of trials come about, from noise between
// trials and within them. Used at a small size by the tests and at full size by bench/simulation.
//
// Every world has a unit of spread of about one; `scale` makes it a standard deviation between
// trials, and the true mean difference is added afterwards. Worlds made from samples go the whole
// way: times with correlated noise, the timer's step, the median within the trial.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/summary.hpp"
#include "assay/stats/trial.hpp"

namespace assay::stats::worlds {

inline constexpr std::array<std::size_t, 5> kLooks{8, 16, 32, 64, 128};

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double uniform() { return random_.next_uniform(); }
  double normal() {
    return std::sqrt(-2 * std::log1p(-uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  double student3() {
    const double a = normal(), b = normal(), c = normal();
    return normal() / std::sqrt(a * a + b * b + c * c);  // of variance one
  }
  bool happens(double probability) { return uniform() < probability; }
  std::uint64_t seed() { return random_.next(); }

 private:
  Random random_;
};

// The differences of `count` trials whose true mean is `mean`.
using Differences = std::function<std::vector<double>(Noise&, std::size_t count, double mean)>;

struct World {
  std::string name;
  Differences draw;
  Reading<Resolution> resolution = Missing{"not-measured", "this world has no timer"};
};

inline Differences independent(std::function<double(Noise&)> one, double scale) {
  return [one = std::move(one), scale](Noise& noise, std::size_t count, double mean) {
    std::vector<double> differences(count);
    for (double& d : differences) d = mean + scale * one(noise);
    return differences;
  };
}

// A subject's trials are slow in a share of them, by so many SDs; centred.
inline double slow(Noise& noise, double share, double by) {
  return by * ((noise.happens(share) ? 1 : 0) - share);
}

// Samples of both subjects in blocks: AR(1) noise within the trial, lognormal if asked for, a level
// of the trial for each subject, drift over the session that hits whichever subject is second.
struct Sampled {
  double within_sd = 0.01;
  double trial_sd = 0.007;  // of each subject's level
  double correlation = 0.5;
  double drift = 0;  // over the session, relative
  bool is_lognormal = false;
  bool has_two_modes = false;  // a trial is slow in three of ten, for each subject on its own
  double step = 0;             // of the timer ÷ length of a sample
  std::size_t blocks = 20;
};

inline Differences sampled(const Sampled& with) {
  return [with](Noise& noise, std::size_t count, double mean) {
    const auto series = [&](double level) {
      const auto skewed = [&](double x) {
        if (!with.is_lognormal) return x;
        return (std::exp(0.8 * x) - std::exp(0.32)) /
               std::sqrt((std::exp(0.64) - 1) * std::exp(0.64));
      };
      std::vector<double> times(with.blocks);
      double state = noise.normal();
      for (double& t : times) {
        state = with.correlation * state +
                std::sqrt(1 - with.correlation * with.correlation) * noise.normal();
        t = std::exp(level + with.within_sd * skewed(state));
        if (with.step > 0) t = with.step * std::round(t / with.step);
      }
      return times;
    };
    const auto level = [&] {
      return with.has_two_modes ? with.trial_sd * slow(noise, 0.3, 2.2)
                                : with.trial_sd * noise.normal();
    };
    const double slope = with.drift * noise.normal();
    const Estimand estimand = choose_estimand(with.step, 0.01);
    double walk = 0;
    std::vector<double> differences(count);
    for (std::size_t trial = 0; trial < count; ++trial) {
      // Where the session stands, and what it moves by between the two subjects of a pair.
      const double size = static_cast<double>(count);
      const double move = (with.drift * noise.normal() / std::sqrt(size) + slope / size) / 2;
      walk += 2 * move;
      const double second = noise.happens(0.5) ? move : -move;
      const double trial_level = walk + (with.step > 0 ? 0.02 * noise.uniform() : 0);
      const auto baseline = series(trial_level + level());
      const auto candidate = series(trial_level + level() + mean + second);
      differences[trial] = paired_difference(estimand, baseline, candidate);
    }
    return differences;
  };
}

// The worlds; `scale`: SD between trials of the unit worlds.
inline std::vector<World> all(double scale) {
  std::vector<World> worlds{
      {"normal", independent([](Noise& n) { return n.normal(); }, scale)},
      {"t3", independent([](Noise& n) { return n.student3(); }, scale)},
      {"rare slow mode in both, 10 % by 3 SD",
       independent(
           [](Noise& n) { return (slow(n, 0.1, 3) - slow(n, 0.1, 3) + 0.7 * n.normal()) / 1.45; },
           scale)},
      {"rare slow mode in one, 10 % by 6 SD",
       independent([](Noise& n) { return slow(n, 0.1, 6) + n.normal(); }, scale)},
      {"rare slow mode in one, 5 % by 6 SD",
       independent([](Noise& n) { return slow(n, 0.05, 6) + n.normal(); }, scale)},
      {"rare slow mode in one, 20 % by 3 SD",
       independent([](Noise& n) { return slow(n, 0.2, 3) + n.normal(); }, scale)},
      {"lognormal samples", sampled({.correlation = 0.8, .is_lognormal = true})},
      {"drift of 3 % over the session", sampled({.correlation = 0.8, .drift = 0.03})},
      {"autocorrelation 0.9", sampled({.trial_sd = 0, .correlation = 0.9})},
      {"two-mode trials", sampled({.trial_sd = 0.01, .has_two_modes = true})},
  };
  // Steps of 0.6 % of a sample: spread over more than a step, and in phase with it.
  const auto timer = [](double within_sd) {
    const SubjectTiming timing{1, within_sd};
    return Resolution{0.006, 20, timing, timing};
  };
  worlds.push_back({"times in steps of 0.6 %, dithered",
                    sampled({.within_sd = 0.008, .trial_sd = 0.003, .step = 0.006}), timer(0.008)});
  worlds.push_back({"times in steps of 0.6 %, in phase",
                    sampled({.within_sd = 0.0005, .trial_sd = 0, .step = 0.006}), timer(0.0006)});
  return worlds;
}

struct Outcome {
  Verdict verdict = Verdict::inconclusive;
  std::size_t look = 0;  // the deciding one, else the last
};

// One comparison out of `primaries` over the looks.
inline Outcome experiment(Noise& noise, const World& world, double mean, double theta,
                          std::size_t primaries = 1) {
  const auto values = world.draw(noise, kLooks.back(), mean);
  for (const std::size_t look : kLooks) {
    const LookRule rule{.theta = theta,
                        .interval_alpha = level_per_look(0.05, kLooks.size(), primaries),
                        .guard_alpha = level_per_look(0.05, kLooks.size()),
                        .seed = noise.seed()};
    const auto outcome = judge_look(std::span(values).first(look), rule, world.resolution);
    if (outcome.verdict != Verdict::inconclusive) return {outcome.verdict, look};
  }
  return {Verdict::inconclusive, kLooks.back()};
}

// A truth to hold verdicts against.
struct Truth {
  std::string name;
  double mean;
  double theta;
  // Whether the verdict is false there. On the margin every one of the three is: the regions are
  // open.
  bool makes_false(Verdict verdict) const {
    if (verdict == Verdict::inconclusive) return false;
    if (theta == 0 && mean == 0) return true;
    const double distance = std::abs(mean) - theta;
    if (std::abs(distance) < 1e-12) return true;
    if (distance < 0) return verdict != Verdict::equivalent;
    return verdict != (mean > 0 ? Verdict::slower : Verdict::faster);
  }
};

inline std::vector<Truth> truths() {
  const double theta = std::log(1.01);
  return {{"no difference, margin 0", 0, 0},
          {"+1 %, margin 1 %", theta, theta},
          {"-1 %, margin 1 %", -theta, theta},
          {"no difference, margin 1 %", 0, theta},
          {"+2 %, margin 1 %", std::log(1.02), theta}};
}

}  // namespace assay::stats::worlds
