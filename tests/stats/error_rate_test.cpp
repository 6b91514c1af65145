// SPDX-License-Identifier: MIT
//
// The promise: over all looks, the chance of any wrong verdict is at most 5 %, in worlds that are
// not normal. Reduced in size; bench/simulation prints the same at full size.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "assay/stats/clopper_pearson.hpp"
#include "worlds.hpp"

namespace assay::stats {
namespace {

// Unoptimised builds run a part: the bound follows from the number of runs and is only less sharp.
constexpr std::size_t runs(std::size_t optimised) {
#ifdef __OPTIMIZE__
  return optimised;
#else
  return optimised / 20;
#endif
}

std::uint64_t seed() {
  const char* given = std::getenv("ASSAY_PROPERTY_SEED");
  return given != nullptr ? std::stoull(given) : 20261130;
}

// Too many for a true rate of 5 % (one-sided, 1 in 10,000).
bool exceeds_alpha(std::size_t wrong, std::size_t experiments) {
  return clopper_pearson(wrong, experiments, 1 - 2e-4).low > 0.05;
}

TEST(ErrorRate, IsAtMostAlphaInEveryWorld) {
  constexpr std::size_t kRuns = runs(100);
  std::cout << "seed " << seed() << '\n';
  worlds::Noise noise(seed());
  for (const auto& world : worlds::all(0.01)) {
    for (const auto& truth : worlds::truths()) {
      std::size_t wrong = 0;
      for (std::size_t run = 0; run < kRuns; ++run) {
        wrong +=
            truth.makes_false(worlds::experiment(noise, world, truth.mean, truth.theta).verdict)
                ? 1U
                : 0U;
      }
      EXPECT_FALSE(exceeds_alpha(wrong, kRuns))
          << world.name << ", " << truth.name << ": " << wrong << " of " << kRuns;
    }
  }
}

TEST(ErrorRate, IsAtMostAlphaOverManyPrimariesTogether) {
  constexpr std::size_t kRuns = runs(40);
  std::cout << "seed " << seed() << '\n';
  worlds::Noise noise(seed() + 1);
  const auto all = worlds::all(0.01);
  for (const std::size_t which : {0U, 3U}) {
    for (const std::size_t primaries : {6U, 24U}) {
      std::size_t wrong = 0;
      for (std::size_t run = 0; run < kRuns; ++run) {
        bool any = false;
        for (std::size_t cell = 0; cell < primaries && !any; ++cell) {
          any = worlds::experiment(noise, all[which], 0, 0, primaries).verdict !=
                Verdict::inconclusive;
        }
        wrong += any ? 1U : 0U;
      }
      EXPECT_FALSE(exceeds_alpha(wrong, kRuns))
          << all[which].name << ", " << primaries << " cells: " << wrong << " of " << kRuns;
    }
  }
}

// What the guard against unseen slow trials is for, and that this test could see it fail.
TEST(ErrorRate, WouldExceedAlphaWithoutRoomForRareSlowTrials) {
  constexpr std::size_t kRuns = 1500;
  worlds::Noise noise(seed() + 2);
  const worlds::World world = worlds::all(0.01)[3];
  std::size_t wrong = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto values = world.draw(noise, 16, 0);
    for (const std::size_t look : {8U, 16U}) {
      const auto first = std::span(values).first(look);
      const auto interval = t_interval(first, 1 - level_per_look(0.05, worlds::kLooks.size()));
      if (interval->low > 0 || interval->high < 0) {
        ++wrong;
        break;
      }
    }
  }
  EXPECT_TRUE(exceeds_alpha(wrong, kRuns)) << wrong << " of " << kRuns;
}

}  // namespace
}  // namespace assay::stats
