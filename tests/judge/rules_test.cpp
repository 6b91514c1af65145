// SPDX-License-Identifier: MIT
#include "assay/judge/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

SampleTimer monotonic(double step_ns) { return {"monotonic", step_ns, false}; }

const Reading<std::int64_t> as_many_as_needed = Missing{"none", ""};

experiment::Plan plan_with(double margin) {
  experiment::Plan plan;
  plan.protocol.margin = margin;
  plan.protocol.sample_s = 1e-3;
  plan.protocol.blocks = 20;
  plan.protocol.timer = "monotonic";
  return plan;
}

TEST(Calibrate, GivesAllSubjectsOneCountThatBringsTheSlowestToTheSampleLength) {
  const auto found =
      calibrate(plan_with(0.01), "c", {{"a", 1000}, {"b", 4000}}, monotonic(1), as_many_as_needed);
  EXPECT_EQ(*found.iterations, 250);
  EXPECT_EQ(found.estimand, experiment::Estimand::median);
  EXPECT_EQ(found.samples_per_trial, 20);
}

TEST(Calibrate, TakesOneFirstCallATrial) {
  experiment::Plan plan = plan_with(0.01);
  experiment::Cell cell;
  cell.problem = "sum";
  cell.state = "fresh";
  cell.boundary = "cold-start";
  plan.cells.push_back(cell);
  const auto found =
      calibrate(plan, cell.id(), {{"a", 1000}, {"b", 4000}}, monotonic(1), std::int64_t{1});
  EXPECT_EQ(*found.iterations, 1);
  EXPECT_EQ(found.samples_per_trial, 1);
}

TEST(Calibrate, TakesMoreIterationsWhereTheTimersStepWouldWeighTooMuch) {
  // A step of 32 ns is a tenth of a percent of 32 µs.
  const auto found = calibrate(plan_with(0.01), "c", {{"fast", 10}, {"slow", 10000}}, monotonic(32),
                               as_many_as_needed);
  EXPECT_EQ(*found.iterations, 3200);
  EXPECT_EQ(found.estimand, experiment::Estimand::median);
}

TEST(Calibrate, TakesTheMeanWhereTheCallCannotBeRepeatedAndTheStepIsCoarse) {
  const auto found = calibrate(plan_with(0.01), "c", {{"a", 5000}}, monotonic(32), std::int64_t{1});
  EXPECT_EQ(*found.iterations, 1);
  EXPECT_EQ(found.estimand, experiment::Estimand::mean);
}

TEST(Calibrate, RefusesACallOfWhichTheStepIsMoreThanATenthAndSaysWhatHelps) {
  const auto found = calibrate(plan_with(0.01), "c", {{"a", 200}}, monotonic(32), std::int64_t{1});
  ASSERT_FALSE(found.iterations.has_value());
  EXPECT_EQ(found.iterations.missing().reason, "too-short");
  EXPECT_THAT(found.iterations.missing().detail, testing::HasSubstr("warm"));
}

TEST(Calibrate, JudgesTheStepAgainstHalfAPercentWhenTheMarginIsZero) {
  const auto found = calibrate(plan_with(0), "c", {{"a", 5e6}}, monotonic(1000), as_many_as_needed);
  EXPECT_EQ(*found.iterations, 1);
  EXPECT_EQ(found.estimand, experiment::Estimand::median);
}

TEST(Calibrate, ATimerThatTimesEachCallApartNeedsTheSquareOfTheIterations) {
  // Its step of 32 ns enters n times and adds up by √n: 32·√n of n calls of 1 µs are a tenth of a
  // percent at √n = 32.
  const SampleTimer each_call{"cupti", 32, true};
  const auto found = calibrate(plan_with(0.01), "c", {{"fast", 1000}, {"slow", 1000}}, each_call,
                               as_many_as_needed);
  EXPECT_NEAR(static_cast<double>(*found.iterations), 1024, 1) << "rounded up";
  EXPECT_NEAR(*found.timer_resolution_ns, 32 * 32, 1);
  EXPECT_EQ(found.estimand, experiment::Estimand::median);
  // One interval around all of them has the step once.
  const auto once = calibrate(plan_with(0.01), "c", {{"fast", 1000}, {"slow", 1000}}, monotonic(32),
                              as_many_as_needed);
  EXPECT_EQ(*once.iterations, 1000) << "the length of a sample";
  EXPECT_DOUBLE_EQ(*once.timer_resolution_ns, 32);
}

TEST(Calibrate, TheDifferenceOfTwoIntervalsHasTheStepsOfBoth) {
  const SampleTimer slope{"graph", 500, false, true};
  const auto found = calibrate(plan_with(0.01), "c", {{"a", 1000}}, slope, as_many_as_needed);
  EXPECT_NEAR(*found.timer_resolution_ns, 707.1, 0.1);
  EXPECT_EQ(*found.iterations, 1000) << "a thousandth is fine enough";
  const SampleTimer coarse{"graph", 5000, false, true};
  EXPECT_EQ(*calibrate(plan_with(0.01), "c", {{"a", 1000}}, coarse, as_many_as_needed).iterations,
            7072);
}

// A step of 0 would be a perfect timer.
TEST(Calibrate, AStepThatIsNotKnownStaysSoWithItsReason) {
  const SampleTimer unknown{"events", Missing{"one-value", "all readings were alike"}, true};
  const auto found = calibrate(plan_with(0.01), "c", {{"a", 1000}}, unknown, as_many_as_needed);
  EXPECT_EQ(*found.iterations, 1000) << "the length of a sample";
  EXPECT_EQ(found.timer_resolution_ns.missing(), unknown.step_ns.missing());
  EXPECT_TRUE(is_warm(std::vector<double>(20, 1000.0), found.timer_resolution_ns, 1000));
}

TEST(SampleTimerOf, IsTheCoarsestThatIsKnownElseMissing) {
  experiment::Plan plan;
  EXPECT_EQ(sample_timer(plan, "events", Missing{"not-described", ""}).step_ns.missing().reason,
            "not-described");
  const auto describe = [&](Reading<double> step_ns) {
    experiment::TimerDescription timer;
    timer.name = "events";
    timer.resolution_ns = std::move(step_ns);
    timer.is_per_call = true;
    plan.descriptions.emplace_back();
    plan.descriptions.back().timers = {timer};
  };
  const Missing not_said{"not-described", "no process has said it"};
  describe(Missing{"one-value", "all readings were alike"});
  EXPECT_EQ(sample_timer(plan, "events", not_said).step_ns.missing().reason, "one-value");
  EXPECT_TRUE(sample_timer(plan, "events", not_said).is_per_call);
  describe(30.0);
  describe(500.0);
  describe(40.0);
  EXPECT_EQ(*sample_timer(plan, "events", not_said).step_ns, 500);
  EXPECT_EQ(*sample_timer(plan, "events", 32.0).step_ns, 32) << "the process knows best";
  EXPECT_EQ(sample_timer(plan, "events", 0.0).step_ns.missing().reason, "not-understood");
}

TEST(Calibrate, OneCallHasTheStepOnceHoweverItIsTimed) {
  const auto found =
      calibrate(plan_with(0.01), "c", {{"a", 1e6}}, {"cupti", 32, true}, std::int64_t{1});
  EXPECT_EQ(*found.iterations, 1);
  EXPECT_DOUBLE_EQ(*found.timer_resolution_ns, 32);
  EXPECT_EQ(found.timer, "cupti");
}

TEST(Calibrate, RefusesWhereTheStepsOfTheCallsAddUpToMoreThanATenth) {
  // 500 ns in each of 4 calls: 1 µs of the 8 µs that they take.
  const auto found =
      calibrate(plan_with(0.01), "c", {{"a", 2000}}, {"events", 500, true}, std::int64_t{4});
  ASSERT_FALSE(found.iterations.has_value());
  EXPECT_THAT(found.iterations.missing().detail, testing::HasSubstr("1000.0 ns"));
  const auto of_nine =
      calibrate(plan_with(0.01), "c", {{"a", 2000}}, {"events", 500, true}, std::int64_t{9});
  EXPECT_TRUE(of_nine.iterations.has_value()) << "1.5 µs of 18 µs";
}

TEST(Calibrate, RunsACommandAsOftenInATrialAsFillsAQuarterOfASecond) {
  experiment::Plan plan = plan_with(0.01);
  plan.commands.resize(2);
  plan.defaults_used = {"protocol.blocks"};
  const auto runs = [&](double slowest_ns) {
    const auto found =
        calibrate(plan, "c", {{"a", 1e6}, {"b", slowest_ns}}, monotonic(30), std::int64_t{1});
    EXPECT_EQ(*found.iterations, 1);
    return found.samples_per_trial;
  };
  EXPECT_EQ(runs(2e6), 20);
  EXPECT_EQ(runs(100e6), 3);
  EXPECT_EQ(runs(30e9), 1);
  plan.defaults_used.clear();
  EXPECT_EQ(runs(30e9), 20);
}

TEST(IsWarm, WaitsUntilTwoWindowsAgree) {
  EXPECT_FALSE(is_warm({}, 1, 1));
  const std::vector<double> falling{300, 250, 200, 150, 120, 100};
  EXPECT_FALSE(is_warm(falling, 1, 1000));
  const std::vector<double> settled{300, 250, 200, 100, 100.5, 101, 100, 100.2, 100.4};
  EXPECT_TRUE(is_warm(settled, 1, 1000));
}

TEST(IsWarm, ToleratesOneStepOfACoarseTimer) {
  const std::vector<double> stepping{110, 110, 110, 100, 100, 100};
  EXPECT_FALSE(is_warm(stepping, 1, 1));
  EXPECT_TRUE(is_warm(stepping, 11, 1));
}

}  // namespace
}  // namespace assay::judge
