// SPDX-License-Identifier: MIT
#include "assay/stats/level_changes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "assay/base/random.hpp"

namespace assay::stats {
namespace {

constexpr double least_difference = 0.1;
constexpr double least_sd = 0.03;

double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.next_uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * random.next_uniform());
}

// Loads of `count` windows around 0.3, each from the one before.
using World = std::function<double(Random&, double& memory)>;
std::vector<double> series(const World& world, std::size_t count, Random& random) {
  double memory = 0;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(0.3 + world(random, memory));
  return values;
}

double independent(Random& random, double&) { return 0.1 * standard_normal(random); }
double autocorrelated(Random& random, double& memory, double rho) {
  memory = rho * memory + std::sqrt(1 - rho * rho) * standard_normal(random);
  return 0.1 * memory;
}
// A whole core's worth in a tenth of the windows.
double bursts(Random& random, double&) {
  return (random.next_uniform() < 0.1 ? 1.0 : 0.0) + 0.02 * standard_normal(random);
}
double long_tail(Random& random, double&) { return -0.1 * std::log(1 - random.next_uniform()); }
double still(Random&, double&) { return 0; }

// Of 500 series of each length.
double share_with_changes(const World& world, std::uint64_t seed) {
  Random random(seed);
  int found = 0;
  int all = 0;
  for (const std::size_t count : {20U, 60U, 150U, 400U}) {
    for (int i = 0; i < 125; ++i) {
      ++all;
      const auto changes = level_changes(series(world, count, random), least_difference, least_sd);
      found += changes->changes.empty() ? 0 : 1;
    }
  }
  return found / static_cast<double>(all);
}

// 1 % of 500 is 5; more than 12 have a probability below 0.2 % (binomial).
TEST(LevelChangesOf, MachinesOfOneLevelAreAlmostNever) {
  constexpr double most = 12.0 / 500;
  EXPECT_LE(share_with_changes(independent, 1), most);
  EXPECT_LE(share_with_changes([](Random& r, double& m) { return autocorrelated(r, m, 0.5); }, 2),
            most);
  EXPECT_LE(share_with_changes([](Random& r, double& m) { return autocorrelated(r, m, 0.9); }, 3),
            most);
  EXPECT_LE(share_with_changes(bursts, 4), most);
  EXPECT_LE(share_with_changes(long_tail, 5), most);
  EXPECT_EQ(share_with_changes(still, 6), 0);
}

struct Power {
  double found = 0;
  double near = 0;  // within three windows of where it was
};
Power power(const World& world, double step, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Power result;
  constexpr int all = 200;
  for (int i = 0; i < all; ++i) {
    auto values = series(world, count, random);
    const std::size_t at = count / 3 + static_cast<std::size_t>(i) % (count / 3);
    for (std::size_t j = at; j < count; ++j) values[j] += step;
    const auto changes = level_changes(values, least_difference, least_sd);
    if (changes->changes.empty()) continue;
    result.found += 1.0 / all;
    const auto distance =
        static_cast<double>(changes->changes.front().at) - static_cast<double>(at);
    if (changes->changes.size() == 1 && std::abs(distance) <= 3) result.near += 1.0 / all;
  }
  return result;
}

// A core's worth, and half of one, that begin somewhere in the middle third. The shares of 200
// series are some 0.03 below what larger simulations gave.
TEST(LevelChangesOf, ALoadThatBeginsInTheMiddleAreFoundWhereItBegan) {
  const World busy = [](Random& r, double& m) { return autocorrelated(r, m, 0.5); };
  const Power of_40 = power(independent, 1, 40, 7);
  EXPECT_GE(of_40.found, 0.88);
  EXPECT_GE(of_40.near, 0.88);
  for (const std::size_t count : {100U, 400U}) {
    EXPECT_GE(power(independent, 1, count, 7).near, 0.97) << count;
    EXPECT_GE(power(independent, 0.5, count, 9).found, 0.97) << count;
    EXPECT_GE(power(busy, 1, count, 8).found, count == 100 ? 0.7 : 0.97) << count;
  }
}

TEST(LevelChangesOf, ALoadThatComesAndGoesAreTwo) {
  Random random(10);
  auto values = series(independent, 120, random);
  for (std::size_t i = 40; i < 80; ++i) values[i] += 1;
  const auto result = level_changes(values, least_difference, least_sd);
  ASSERT_EQ(result->changes.size(), 2U);
  EXPECT_NEAR(static_cast<double>(result->changes[0].at), 40, 2);
  EXPECT_NEAR(static_cast<double>(result->changes[1].at), 80, 2);
  EXPECT_NEAR(result->changes[0].before, 0.3, 0.1);
  EXPECT_NEAR(result->changes[0].after, 1.3, 0.1);
}

TEST(LevelChangesOf, TooFewValuesAreUnknown) {
  const std::vector<double> values(kLeastForLevels - 1, 0.5);
  EXPECT_EQ(level_changes(values, least_difference, least_sd).missing().reason, "insufficient");
}

TEST(LevelChangesOf, ALongSeriesAreCountedInItsOwnValues) {
  std::vector<double> values(4000, 0.0);
  for (std::size_t i = 3000; i < values.size(); ++i) values[i] = 1;
  const auto result = level_changes(values, least_difference, least_sd);
  EXPECT_EQ(result->points, kMostForLevels);
  ASSERT_EQ(result->changes.size(), 1U);
  EXPECT_EQ(result->changes[0].at, 3000U);
}

}  // namespace
}  // namespace assay::stats
