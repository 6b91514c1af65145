// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>

#include "assay/base/error.hpp"
#include "ceiling_passes.hpp"
#include "ceiling_rows.hpp"

namespace assay::probe {
namespace {

// A clock that only the passes move: 1 GB/s a thread, every third pass twice as slow.
class Scripted final : public Runner {
 public:
  double now_s() override { return now; }
  void begin(std::int64_t threads, int) override { begun.push_back(threads); }
  void prepare(const BandwidthCeiling&) override { now += prepare_s; }
  double pass_s(const BandwidthCeiling& row, std::int64_t repeats) override {
    most_repeats = std::max(most_repeats, repeats);
    const double one = bytes_of(row) / (1e9 * static_cast<double>(row.threads));
    return spend(one * static_cast<double>(repeats));
  }
  void check(const BandwidthCeiling& row) override {
    ++checks;
    if (row.level == wrong) throw Error(ErrorKind::device, "wrong result");
  }
  Work arithmetic(const ComputeCeiling&, std::int64_t steps) override {
    const double flop = 100.0 * static_cast<double>(steps);
    return {spend(flop / 1e10), flop};
  }

  double now = 100;
  double prepare_s = 0;
  std::int64_t most_repeats = 0;
  int checks = 0;
  std::string wrong;
  int disturbed = 0;  // the first passes
  std::vector<std::int64_t> begun;

 private:
  double spend(double s) {
    double spent = ++passes_ % 3 == 0 ? 2 * s : s;
    if (passes_ <= disturbed) spent += 0.01;
    now += spent;
    return spent;
  }
  int passes_ = 0;
};

std::vector<BandwidthCeiling> some_rows() {
  return {{"memory", "read", "none", 1, 100'000'000, Missing{"not-measured", ""}},
          {"L1", "copy", "regular", 1, 8192, Missing{"not-measured", ""}},
          {"memory", "read", "none", 2, 100'000'000, Missing{"not-measured", ""}}};
}
std::vector<ComputeCeiling> some_compute() {
  return {{"f32", 1, Missing{"not-measured", ""}}, {"f32", 2, Missing{"not-measured", ""}}};
}

TEST(CeilingPasses, AreTheBestAndTheMiddleOfAllRounds) {
  Scripted runner;
  auto rows = some_rows();
  auto compute = some_compute();
  measure_rows(runner, 60, rows, compute);
  for (const BandwidthCeiling& row : rows) {
    ASSERT_TRUE(row.bytes_per_s);
    EXPECT_NEAR(row.bytes_per_s->best, 1e9 * static_cast<double>(row.threads), 1);
    EXPECT_NEAR(row.bytes_per_s->median, row.bytes_per_s->best, 1);
    EXPECT_EQ(row.bytes_per_s->count, kPassesFirst + (kRounds - 1) * kPassesLater);
  }
  EXPECT_NEAR(compute[0].flop_per_s->best, 1e10, 1);
  EXPECT_EQ(runner.begun, (std::vector<std::int64_t>{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(runner.checks, 3 * kRounds);
  // A short kernel is repeated until a pass is long enough.
  EXPECT_GE(static_cast<double>(runner.most_repeats) * 2 * 8192 / 1e9, kLeastPass_s / 2);
}

TEST(CeilingPasses, ADisturbedFirstPassDoesNotMakeTheOthersTooShort) {
  Scripted runner;
  runner.disturbed = 4;
  std::vector<BandwidthCeiling> rows{some_rows()[1]};
  std::vector<ComputeCeiling> compute{some_compute()[0]};
  measure_rows(runner, 60, rows, compute);
  EXPECT_GE(static_cast<double>(runner.most_repeats) * 2 * 8192 / 1e9, kLeastPass_s / 2);
  EXPECT_EQ(rows[0].bytes_per_s->count, kPassesFirst + (kRounds - 1) * kPassesLater);
  EXPECT_NEAR(rows[0].bytes_per_s->best, 1e9, 1);
}

TEST(CeilingPasses, WhatTheBudgetLeavesNoTimeForIsMissing) {
  Scripted runner;
  auto rows = some_rows();
  auto compute = some_compute();
  measure_rows(runner, 1.5, rows, compute);
  EXPECT_TRUE(rows[0].bytes_per_s);
  EXPECT_EQ(rows[2].bytes_per_s.missing().reason, "no-time");
  EXPECT_EQ(compute[1].flop_per_s.missing().reason, "no-time");
  EXPECT_LT(runner.now - 100, 2 * 1.5);
}

TEST(CeilingPasses, ARowOfFewerPassesThanTheRuleAsksForIsNone) {
  Scripted runner;
  auto rows = some_rows();
  rows[0].array_bytes = 1'000'000'000;
  auto compute = some_compute();
  measure_rows(runner, 5, rows, compute);
  EXPECT_EQ(rows[0].bytes_per_s.missing().reason, "no-time");
}

TEST(CeilingPasses, WhatIsMissingAlreadyStaysSo) {
  Scripted runner;
  auto rows = some_rows();
  rows[0].bytes_per_s = Missing{"no-room", "too large"};
  auto compute = some_compute();
  measure_rows(runner, 60, rows, compute);
  EXPECT_EQ(rows[0].bytes_per_s.missing().reason, "no-room");
}

TEST(CeilingPasses, AWrongResultEndsIt) {
  Scripted runner;
  runner.wrong = "L1";
  auto rows = some_rows();
  auto compute = some_compute();
  EXPECT_THROW(measure_rows(runner, 60, rows, compute), Error);
}

TEST(CeilingPasses, SummariseRatesAndTimes) {
  const Passes rates = passes_of({1, 4, 2, 3}, true);
  EXPECT_EQ(rates, (Passes{4, 2.5, 4}));
  EXPECT_EQ(passes_of({3, 1, 2}, false), (Passes{1, 2, 3}));
}

}  // namespace
}  // namespace assay::probe
