// SPDX-License-Identifier: MIT
//
// Change points, steady state, drift, history, independence: values against oracle_changes.hpp, the
// optimum against a plain dynamic programme, error rates at a reduced size (seeds fixed and
// printed; tests/stats/simulate_changes.cpp has the full tables), and bad input.
#include "assay/stats/change_points.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numbers>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/stats/drift.hpp"
#include "assay/stats/e_divisive.hpp"
#include "assay/stats/independence.hpp"
#include "oracle_changes.hpp"

namespace assay::stats {
namespace {

using Values = std::vector<double>;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

void expect_near(double got, double want) { EXPECT_NEAR(got, want, 1e-9 * std::abs(want)); }

class Drawn : public ::testing::Test {
 protected:
  Drawn() { std::cout << "seed " << kSeed << '\n'; }
  double normal() {
    return std::sqrt(-2 * std::log1p(-random_.next_uniform())) *
           std::cos(2 * std::numbers::pi * random_.next_uniform());
  }
  Values ar1(std::size_t count, double phi) {
    Values x(count);
    double before = normal();
    for (double& v : x) v = before = phi * before + std::sqrt(1 - phi * phi) * normal();
    return x;
  }
  int count(int repeats, const std::function<bool()>& one) {
    int hits = 0;
    for (int i = 0; i < repeats; ++i) hits += one() ? 1 : 0;
    return hits;
  }

  static constexpr std::uint64_t kSeed = 20261130;
  Random random_{kSeed};
};

// Total cost of a segmentation, by definition.
double total(const Values& x, const std::vector<std::size_t>& begins, const ChangeRule& rule) {
  std::vector<std::size_t> edges{0};
  for (const std::size_t b : begins) edges.push_back(b);
  edges.push_back(x.size());
  double sum = rule.penalty * static_cast<double>(begins.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double n = static_cast<double>(edges[i + 1] - edges[i]);
    double mean = 0;
    for (std::size_t j = edges[i]; j < edges[i + 1]; ++j) mean += x[j] / n;
    double variance = 0;
    for (std::size_t j = edges[i]; j < edges[i + 1]; ++j) variance += std::pow(x[j] - mean, 2) / n;
    const double used = std::max(variance, rule.least_sd * rule.least_sd);
    sum += n * (std::log(2 * std::numbers::pi * used) + variance / used);
  }
  return sum;
}

// Optimal partitioning without any pruning.
double least_total(const Values& x, const ChangeRule& rule) {
  Values best(x.size() + 1, kInfinite);
  best[0] = 0;
  for (std::size_t end = rule.least_segment; end <= x.size(); ++end) {
    for (std::size_t start = 0; start + rule.least_segment <= end; ++start) {
      const Values part(x.begin() + static_cast<std::ptrdiff_t>(start),
                        x.begin() + static_cast<std::ptrdiff_t>(end));
      const double penalty = start == 0 ? 0 : rule.penalty;
      best[end] = std::min(best[end], best[start] + penalty + total(part, {}, rule));
    }
  }
  return best[x.size()];
}

TEST(ChangePoints, AreThoseOfTheOracle) {
  const ChangeRule strong{.penalty = 15 * std::log(120.0)};
  EXPECT_EQ(
      change_points(oracle::kSettled, strong),
      std::vector<std::size_t>(oracle::kSettledChanges.begin(), oracle::kSettledChanges.end()));
  const auto several = change_points(oracle::kSeveral, {.penalty = 3 * std::log(150.0)});
  EXPECT_EQ(several, std::vector<std::size_t>(oracle::kSeveralChanges.begin(),
                                              oracle::kSeveralChanges.end()));
}

// Long enough that most candidates are not asked at most ends, with changes that come seldom.
TEST_F(Drawn, AskingCandidatesSeldomMissesNothing) {
  std::size_t changes = 0;
  for (int repeat = 0; repeat < 12; ++repeat) {
    Values x = ar1(150 + random_.next_below(50), repeat % 2 == 0 ? 0 : 0.7);
    double level = 0;
    for (double& v : x) {
      if (random_.next_below(80) == 0) level = 2 * normal();
      v += level;
    }
    const ChangeRule rule{.penalty = (repeat % 3 == 0 ? 3 : 15) * std::log(x.size())};
    const auto found = change_points(x, rule);
    changes += found.size();
    const double least = least_total(x, rule);
    EXPECT_NEAR(total(x, found, rule), least, 1e-8 * std::abs(least));
  }
  EXPECT_GE(changes, 12U);
}

TEST_F(Drawn, PruningNeverMissesTheOptimum) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    Values x = ar1(20 + random_.next_below(40), 0.5);
    double level = 0;
    double spread = 1;
    for (double& v : x) {
      if (random_.next_below(12) == 0) {
        level = 3 * normal();
        spread = std::exp(normal());
      }
      v = level + spread * v;
      if (repeat % 3 == 0) v = std::round(v);  // many ties: segments without variance
    }
    ChangeRule rule;
    rule.penalty = 12 * random_.next_uniform();
    rule.least_segment = 1 + random_.next_below(10);
    rule.least_sd = repeat % 2 == 0 ? 1e-6 : 0.3;
    const auto found = change_points(x, rule);
    std::size_t before = 0;
    for (const std::size_t begin : found) {
      EXPECT_GE(begin - before, rule.least_segment);
      before = begin;
    }
    EXPECT_GE(x.size() - before, rule.least_segment);
    EXPECT_NEAR(total(x, found, rule), least_total(x, rule), 1e-7) << "repeat " << repeat;
  }
}

TEST(ChangePoints, OfNoneOneOrEqualValuesAreNone) {
  const ChangeRule rule{.penalty = 1};
  EXPECT_TRUE(change_points(Values{}, rule).empty());
  EXPECT_TRUE(change_points(Values{7.0}, rule).empty());
  EXPECT_TRUE(change_points(Values(500, 7.0), rule).empty());
  EXPECT_THROW(change_points(Values{1, std::nan(""), 2}, rule), Error);
  EXPECT_THROW(change_points(Values{1, kInfinite}, rule), Error);
  EXPECT_THROW(change_points(Values{1, 2}, {.penalty = 1, .least_segment = 0}), Error);
}

TEST(BatchMeans, CoverEveryValueOnce) {
  Values x(1003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const auto means = batch_means(x, 100);
  ASSERT_EQ(means.size(), 100U);
  EXPECT_DOUBLE_EQ(means.front(), 4.5);
  EXPECT_DOUBLE_EQ(means.back(), 997.0);  // of 992 … 1002
  EXPECT_EQ(batch_means(x, 5000), x);
}

Values levels(const std::vector<std::pair<std::size_t, double>>& parts) {
  Values x;
  for (const auto& [count, level] : parts) {
    // A spread that no segment can be told apart by.
    for (std::size_t i = 0; i < count; ++i) x.push_back(level + (i % 2 == 0 ? 0.01 : -0.01));
  }
  return x;
}

TEST(SteadyState, ClassesFollowFromWhereItEnds) {
  const auto of = [](const Values& x, double tolerance = 0.05) {
    return *steady_state(x, tolerance);
  };
  EXPECT_EQ(of(levels({{100, 1}})), SteadyClass::flat);
  EXPECT_EQ(of(levels({{20, 2}, {80, 1}})), SteadyClass::warm_up);
  EXPECT_EQ(of(levels({{20, 1}, {80, 2}})), SteadyClass::slow_down);
  EXPECT_EQ(of(levels({{20, 2}, {20, 1}, {60, 1.5}})), SteadyClass::slow_down);
  EXPECT_EQ(of(levels({{20, 1}, {20, 2}, {60, 1.02}})), SteadyClass::warm_up);
  EXPECT_EQ(of(levels({{80, 2}, {20, 1}})), SteadyClass::no_steady_state);
  // The last half begins at its middle.
  EXPECT_EQ(of(levels({{50, 2}, {50, 1}})), SteadyClass::warm_up);
  EXPECT_EQ(of(levels({{51, 2}, {49, 1}})), SteadyClass::no_steady_state);
}

TEST(SteadyState, LevelsCloserThanTheToleranceAreOne) {
  const Values x = levels({{40, 1}, {30, 1.04}, {30, 1.2}});
  EXPECT_EQ(*steady_state(x, 0.01), SteadyClass::no_steady_state);
  EXPECT_EQ(*steady_state(x, 0.5), SteadyClass::flat);
  EXPECT_EQ(*steady_state(levels({{60, 1}, {40, 1.04}}), 0.05), SteadyClass::flat);
  EXPECT_EQ(*steady_state(levels({{60, 1}, {40, 1.06}}), 0.05), SteadyClass::no_steady_state);
}

TEST(SteadyState, TiesAndStepsOfTheTimerMakeNoChange) {
  EXPECT_EQ(*steady_state(Values(100, 3.0), 0), SteadyClass::flat);
  // Runs of ties, as a timer makes them whose step is as long as the spread.
  Values x;
  for (int i = 0; i < 200; ++i) x.push_back(i / 12 % 2 == 0 ? 0.0 : 0.006);
  EXPECT_EQ(*steady_state(x, 0.006 + 1e-12, 0.006 / std::sqrt(12.0)), SteadyClass::flat);
}

TEST(SteadyState, SaysHowManyValuesItNeeds) {
  const auto few = steady_state(Values(49, 1.0), 0);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.missing().reason, "insufficient");
  EXPECT_EQ(few.missing().detail, "needs 50 values, has 49");
  EXPECT_FALSE(steady_state(Values{}, 0));
  EXPECT_THROW(steady_state(Values(60, std::nan("")), 0), Error);
  EXPECT_THROW(steady_state(Values(60, 1.0), -1), Error);
}

TEST(SteadyState, WordsReadBack) {
  for (const auto steady : {SteadyClass::flat, SteadyClass::warm_up, SteadyClass::slow_down,
                            SteadyClass::no_steady_state}) {
    EXPECT_EQ(steady_class_from_string(to_string(steady)), steady);
  }
  EXPECT_FALSE(steady_class_from_string("steady"));
}

TEST_F(Drawn, StationarySeriesAreFlatAndAWarmUpIsFound) {
  EXPECT_LE(count(200, [&] { return *steady_state(ar1(200, 0.5), 0) != SteadyClass::flat; }), 1);
  EXPECT_GE(count(50,
                  [&] {
                    Values x = ar1(200, 0.5);
                    for (std::size_t i = 0; i < 50; ++i) x[i] += 3;
                    return *steady_state(x, 0) == SteadyClass::warm_up;
                  }),
            48);
}

TEST(Drift, StatisticIsThatOfTheOracle) {
  expect_near(*self_normalised_cusum(oracle::kSettled), oracle::kCusumSettled);
  expect_near(*self_normalised_cusum(std::span(oracle::kSeveral).subspan(60)),
              oracle::kCusumSeveral);
  expect_near(*self_normalised_slope(oracle::kSettled), oracle::kSlopeSettled);
  expect_near(*self_normalised_slope(std::span(oracle::kSeveral).subspan(60)),
              oracle::kSlopeSeveral);
}

TEST_F(Drawn, DriftStatisticsDoNotDependOnLevelAndScale) {
  const Values x = ar1(300, 0.3);
  Values moved = x;
  for (double& v : moved) v = 1e6 + 1e-2 * v;
  for (const auto statistic : {self_normalised_cusum, self_normalised_slope}) {
    EXPECT_NEAR(*statistic(moved), *statistic(x), 1e-4 * *statistic(x));
    const Values back(x.rbegin(), x.rend());
    EXPECT_NEAR(*statistic(back), *statistic(x), 1e-9 * *statistic(x));
  }
}

TEST(Drift, PerfectStepsAndLinesHaveFiniteStatistics) {
  Values step(400, 1.0);
  for (std::size_t i = 200; i < 400; ++i) step[i] = 2;
  Values line(400);
  for (std::size_t i = 0; i < 400; ++i) line[i] = static_cast<double>(i);
  for (const Values& x : {step, line}) {
    const auto result = drift(x);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->is_strong);
    EXPECT_TRUE(std::isfinite(result->step_statistic) && std::isfinite(result->slope_statistic));
    EXPECT_EQ(result->change_at, 200U);
  }
  EXPECT_DOUBLE_EQ(drift(step)->difference, 1);
}

TEST(Drift, BadInputHasADefinedAnswer) {
  EXPECT_EQ(drift(Values{}).missing().reason, "insufficient");
  EXPECT_EQ(drift(Values(199, 1.0)).missing().detail, "needs 200 values, has 199");
  EXPECT_EQ(drift(Values(300, 1.0)).missing().reason, "no-spread");
  EXPECT_EQ(self_normalised_cusum(Values{1}).missing().reason, "too-few-values");
  EXPECT_EQ(self_normalised_slope(Values{1, 2}).missing().reason, "too-few-values");
  Values broken(300, 1.0);
  broken[7] = kInfinite;
  EXPECT_THROW(drift(broken), Error);
}

TEST_F(Drawn, DriftIsRarelySeenWhereThereIsNone) {
  // At a true 5 % more than 32 of 300 come once in 30,000.
  for (const double phi : {0.0, 0.4}) {
    EXPECT_LE(count(300,
                    [&] {
                      const auto result = drift(ar1(400, phi));
                      return result && result->has_drifted;
                    }),
              32)
        << phi;
  }
}

TEST_F(Drawn, CoresThatDifferAreNoDrift) {
  int judged = 0;
  const int drifted = count(300, [&] {
    Values x;
    for (int trial = 0; trial < 400; ++trial) {
      const double core = random_.next_below(2) == 0 ? 0.0 : 0.3;
      for (int block = 0; block < 20; ++block) x.push_back(core + 0.01 * normal());
    }
    const auto result = drift(x);
    judged += result ? 1 : 0;
    return result && result->has_drifted;
  });
  EXPECT_GE(judged, 295);
  EXPECT_LE(drifted, 32);
}

TEST_F(Drawn, CoresThatDifferLeaveTooFewPointsInAnOrdinaryRun) {
  Values x;
  for (int trial = 0; trial < 64; ++trial) {
    const double core = random_.next_below(2) == 0 ? 0.0 : 0.3;
    for (int block = 0; block < 20; ++block) x.push_back(core + 0.01 * normal());
  }
  const auto result = drift(x);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.missing().reason, "insufficient");
  EXPECT_NE(result.missing().detail.find("values, because neighbours resemble each other, has"),
            std::string::npos)
      << result.missing().detail;
}

TEST_F(Drawn, AStepAndARampAreFoundHoweverLargeTheyAre) {
  for (const double size : {2.0, 10.0}) {
    for (const bool is_ramp : {false, true}) {
      EXPECT_GE(count(50,
                      [&] {
                        Values x = ar1(640, 0.4);
                        for (std::size_t i = 0; i < x.size(); ++i) {
                          const double at = static_cast<double>(i) / 640;
                          x[i] += size * (is_ramp ? at : at < 0.5 ? 0 : 1);
                        }
                        const auto result = drift(x);
                        return result && result->has_drifted;
                      }),
                48)
          << size << (is_ramp ? " ramp" : " step");
    }
  }
}

TEST(History, NominationsAreThoseOfTheOracle) {
  const auto found = e_divisive(oracle::kHistory);
  ASSERT_EQ(found.size(), oracle::kHistoryChanges.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].index, oracle::kHistoryChanges[i]);
    EXPECT_NEAR(found[i].p, oracle::kHistoryP[i], 1e-6 * oracle::kHistoryP[i]);
  }
  EXPECT_NEAR(found[0].before, 10.024, 0.001);
  EXPECT_NEAR(found[0].after, 11.239, 0.001);
}

TEST(History, NominationsDoNotDependOnTheUnit) {
  const auto in_seconds = e_divisive(oracle::kHistory);
  for (const int exponent : {-60, -20, 20, 60}) {  // of two, so that nothing is rounded
    Values scaled(oracle::kHistory.begin(), oracle::kHistory.end());
    for (double& value : scaled) value = std::ldexp(value, exponent);
    const auto found = e_divisive(scaled);
    ASSERT_EQ(found.size(), in_seconds.size()) << exponent;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].index, in_seconds[i].index) << exponent;
      EXPECT_EQ(found[i].p, in_seconds[i].p) << exponent;
    }
  }
}

TEST(History, BadInputNominatesNothing) {
  EXPECT_TRUE(e_divisive(Values{}).empty());
  EXPECT_TRUE(e_divisive(Values{1}).empty());
  EXPECT_TRUE(e_divisive(Values(50, 3.0)).empty());
  EXPECT_THROW(e_divisive(Values{1, std::nan("")}), Error);
  EXPECT_THROW(e_divisive(Values{1, 2}, 0), Error);
}

TEST(History, AChangeBetweenTiesIsNominatedWithAFiniteP) {
  Values x(20, 1.0);
  x.resize(40, 2.0);
  const auto found = e_divisive(x);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, 20U);
  EXPECT_GE(found[0].p, 0);
  EXPECT_LE(found[0].p, kNominationP);
}

TEST_F(Drawn, HistoriesWithoutAChangeAreRarelyNominated) {
  EXPECT_LE(count(300, [&] { return !e_divisive(ar1(50, 0)).empty(); }), 2);
}

TEST(Independence, StatisticAndPAreThoseOfTheOracle) {
  const auto result = ljung_box(std::span(oracle::kSeveral).subspan(60));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->lags, 10U);
  expect_near(result->statistic, oracle::kLjungBox[0]);
  expect_near(result->p, oracle::kLjungBox[1]);
  const std::array<std::pair<double, std::size_t>, 5> cases{
      {{3.2, 1}, {7.5, 2}, {30.0, 7}, {12.0, 10}, {60.0, 10}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    expect_near(chi_squared_above(cases[i].first, cases[i].second), oracle::kChiSquared[i]);
  }
}

TEST(Independence, BadInputHasADefinedAnswer) {
  EXPECT_EQ(ljung_box(Values(15, 1.0)).missing().detail, "needs 16 values, has 15");
  EXPECT_EQ(ljung_box(Values(20, 1.0)).missing().reason, "no-spread");
  EXPECT_THROW(ljung_box(Values(20, kInfinite)), Error);
  EXPECT_THROW(chi_squared_above(-1, 2), Error);
}

TEST_F(Drawn, DependentTrialsAreFoundAndIndependentOnesAreNot) {
  EXPECT_LE(count(500, [&] { return ljung_box(ar1(64, 0))->p < 0.001; }), 10);
  EXPECT_GE(count(50, [&] { return ljung_box(ar1(128, 0.7))->p < 0.001; }), 45);
}

}  // namespace
}  // namespace assay::stats
