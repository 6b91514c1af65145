// SPDX-License-Identifier: MIT
#include "assay/problem/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "buffer.hpp"
#include "golden_digests.hpp"

namespace assay {
namespace {

constexpr std::uint64_t key = 0x1234567890ABCDEFU;

std::vector<double> drawn(const Generator& generator, std::size_t count) {
  std::vector<double> values(count);
  generator.values(key, 0, count, values.data());
  return values;
}

TEST(Generator, HasTheSameBytesForEver) {
  for (const test::Golden& golden : test::golden_digests) {
    const auto generator = test::golden_generator(golden.generator);
    Tensor tensor = Tensor::of_type(golden.dtype, {4096});
    tensor.generator(generator);
    test::Buffer buffer(tensor);
    fill(buffer.tensor, key, buffer.payload());
    EXPECT_EQ(content_digest(buffer.tensor, buffer.payload()), golden.sha256)
        << "{\"" << golden.dtype << "\", \"" << golden.generator << "\"}";
  }
}

TEST(Generator, GivesTheSameValueOneByOneAndInBulk) {
  for (const char* name : {"uniform(-1, 1)", "normal(0, 1)", "arithmetic_pattern",
                           "log_uniform(0.001, 1000)", "integers(-100, 100)"}) {
    const Generator generator = test::golden_generator(name);
    EXPECT_EQ(generator.name(), name);
    for (const std::uint64_t first : {0U, 1U, 2U, 37U, 0xFFFFFFF0U}) {
      std::vector<double> values(70);
      generator.values(key, first, values.size(), values.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], generator.value(key, first + i)) << name << ' ' << first << ' ' << i;
      }
    }
  }
}

TEST(Generator, UniformIsTheStreamOfTheKey) {
  for (const std::uint64_t index : {0U, 1U, 2U, 1000001U}) {
    const double unit = static_cast<double>(Random(key).at(index) >> 11) * 0x1p-53;
    EXPECT_EQ(Generator::uniform(-1, 1).value(key, index), -1 + 2 * unit);
  }
  std::vector<double> bulk(64);
  Generator::uniform(0, 1).values(key, 100, bulk.size(), bulk.data());
  for (std::size_t i = 0; i < bulk.size(); ++i) {
    ASSERT_EQ(bulk[i], static_cast<double>(Random(key).at(100 + i) >> 11) * 0x1p-53);
  }
}

TEST(Generator, DependsOnKeyExceptWhereItSays) {
  for (const Generator& generator :
       {Generator::uniform(), Generator::normal(), Generator::log_uniform(1, 2),
        Generator::integers(0, 1000000)}) {
    EXPECT_TRUE(generator.depends_on_key());
    EXPECT_NE(generator.value(1, 5), generator.value(2, 5)) << generator.name();
  }
  for (const Generator& generator :
       {Generator::arithmetic_pattern(), Generator::constant(3), Generator::zero()}) {
    EXPECT_FALSE(generator.depends_on_key());
    EXPECT_EQ(generator.value(1, 5), generator.value(2, 5)) << generator.name();
  }
}

TEST(Generator, StaysInItsRange) {
  for (const double value : drawn(Generator::uniform(2, 3), 20000)) {
    ASSERT_GE(value, 2);
    ASSERT_LT(value, 3);
  }
  for (const double value : drawn(Generator::log_uniform(0.5, 4), 20000)) {
    ASSERT_GE(std::fabs(value), 0.5);
    ASSERT_LT(std::fabs(value), 4);
  }
  bool low = false;
  bool high = false;
  for (const double value : drawn(Generator::integers(-2, 3), 1000)) {
    ASSERT_EQ(value, std::nearbyint(value));
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    low = low || value == -2;
    high = high || value == 3;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(drawn(Generator::integers(7, 7), 1).front(), 7);
}

TEST(Generator, NeverReachesTheUpperEndByRounding) {
  // One step apart: any rounding up would give `high`.
  const double next = std::nextafter(1.0, 2.0);
  for (const double value : drawn(Generator::uniform(1.0, next), 1000)) ASSERT_EQ(value, 1.0);
}

TEST(Generator, IntegersReachAllOfSixtyFourBits) {
  const Generator generator = Generator::integers(INT64_MIN, INT64_MAX);
  bool negative = false;
  bool large = false;
  for (std::uint64_t i = 0; i < 100; ++i) {
    negative = negative || generator.value(key, i) < -0x1p62;
    large = large || generator.value(key, i) > 0x1p62;
  }
  EXPECT_TRUE(negative && large);
}

TEST(Generator, ArithmeticPatternIsAsDeclared) {
  for (const std::uint64_t i : {0U, 8U, 16U, 17U, 1000U}) {
    EXPECT_EQ(Generator::arithmetic_pattern().value(1, i), (static_cast<double>(i % 17) - 8) * 0.1);
  }
}

// Largest distance between the empirical and the given distribution function. At 20000 values the
// 1e-6 quantile of Kolmogorov's statistic is 2.69/√n; the streams are fixed, so nothing flickers.
double kolmogorov(std::vector<double> values, const std::function<double(double)>& distribution) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double wanted = distribution(values[i]);
    largest = std::max({largest, std::fabs(static_cast<double>(i + 1) / n - wanted),
                        std::fabs(static_cast<double>(i) / n - wanted)});
  }
  return largest * std::sqrt(n);
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Generator, FollowsItsDistribution) {
  constexpr std::size_t count = 20000;
  EXPECT_LT(
      kolmogorov(drawn(Generator::uniform(-1, 3), count), [](double x) { return (x + 1) / 4; }),
      2.69);
  EXPECT_LT(kolmogorov(drawn(Generator::normal(2, 3), count),
                       [](double x) { return normal_distribution((x - 2) / 3); }),
            2.69);
  std::vector<double> magnitudes;
  int negative = 0;
  for (const double value : drawn(Generator::log_uniform(0.01, 100), count)) {
    magnitudes.push_back(std::fabs(value));
    if (value < 0) ++negative;
  }
  EXPECT_LT(kolmogorov(magnitudes, [](double x) { return (std::log10(x) + 2) / 4; }), 2.69);
  EXPECT_NEAR(negative, 10000, 350);
}

TEST(Generator, NormalHasItsMoments) {
  const std::vector<double> values = drawn(Generator::normal(), 100000);
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    fourth += value * value * value * value;
  }
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0, 0.016);
  EXPECT_NEAR(squares / n, 1, 0.025);
  EXPECT_NEAR(fourth / n, 3, 0.16);
}

TEST(Generator, NormalIsTheQuantileOfItsUniformNumber) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double probability = (static_cast<double>(Random(key).at(i) >> 12) + 0.5) * 0x1p-52;
    const double tail = std::min(probability, 1 - probability);
    const double back = normal_distribution(-std::fabs(Generator::normal().value(key, i)));
    ASSERT_NEAR(back / tail, 1, 1e-13) << probability;
  }
}

TEST(Generator, RefusesNonsense) {
  EXPECT_THROW(Generator::uniform(1, 1), Error);
  EXPECT_THROW(Generator::uniform(-1.7e308, 1.7e308), Error);
  EXPECT_THROW(Generator::uniform(0, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(Generator::normal(0, 0), Error);
  EXPECT_THROW(Generator::log_uniform(0, 1), Error);
  EXPECT_THROW(Generator::integers(2, 1), Error);
  EXPECT_THROW(Generator::custom("", [](std::uint64_t, std::uint64_t) { return 0.0; }), Error);
  EXPECT_THROW(Generator::custom("mine", nullptr), Error);
}

}  // namespace
}  // namespace assay
