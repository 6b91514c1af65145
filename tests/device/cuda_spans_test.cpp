// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "assay/device/cuda/spans.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t own_stream = 7;

Activity kernel(const std::string& name, std::uint64_t start_ns, std::uint64_t end_ns,
                std::uint32_t stream = own_stream) {
  return {Activity::Kind::kernel, name, start_ns, end_ns, stream, 12, 256};
}

Profiler::Recorded recorded(std::vector<Activity> activities, DriverCalls calls = {}) {
  return {std::move(activities), calls, false};
}

Measured measured(std::vector<Activity> activities, std::int64_t calls) {
  return measured_of(recorded(std::move(activities)), calls, own_stream);
}

TEST(MeasuredOf, AddsUpTheCallsAndLeavesOutWhatLiesBetweenThem) {
  const Measured m =
      measured({kernel("a", 100, 140), kernel("a", 150, 195), kernel("a", 900, 960)}, 3);
  EXPECT_EQ(m.interval_ns, 40 + 45 + 60);
  EXPECT_EQ(m.start_ns, 100);
  EXPECT_EQ(m.flags, "");
}

TEST(MeasuredOf, ACallOfSeveralKernelsLastsFromTheFirstToTheLast) {
  // What lies between the two kernels of a call is the subject's; between the calls it is not.
  const Measured m = measured({kernel("a", 100, 140), kernel("b", 160, 200),
                               kernel("a", 1000, 1040), kernel("b", 1050, 1090)},
                              2);
  EXPECT_EQ(m.interval_ns, 100 + 90);
  EXPECT_EQ(m.flags, "");
}

TEST(MeasuredOf, KernelsOfACallMayOverlap) {
  // The one that began first ends last.
  const Measured m = measured({kernel("a", 100, 300), kernel("b", 120, 200)}, 1);
  EXPECT_EQ(m.interval_ns, 200);
}

TEST(MeasuredOf, UnevenCallsAreOneSpanAndFlagged) {
  const Measured odd =
      measured({kernel("a", 100, 140), kernel("a", 150, 190), kernel("a", 900, 960)}, 2);
  EXPECT_EQ(odd.interval_ns, 860);
  EXPECT_EQ(odd.flags, "uneven-work");
  // As many, but not the same.
  const Measured other = measured(
      {kernel("a", 100, 140), kernel("b", 150, 190), kernel("a", 200, 250), kernel("a", 260, 300)},
      2);
  EXPECT_EQ(other.interval_ns, 200);
  EXPECT_EQ(other.flags, "uneven-work");
  // Fewer records than calls.
  EXPECT_THROW(measured({kernel("a", 100, 140)}, 3), Error) << "two calls did nothing";
}

TEST(MeasuredOf, KeepsEveryRecord) {
  const Measured m = measured(
      {kernel("a", 100, 140), {Activity::Kind::copy, "[memcpy]", 150, 151, own_stream, 0, 0}}, 1);
  ASSERT_EQ(m.kernels.size(), 2U);
  EXPECT_EQ(m.kernels[0].name, "a");
  EXPECT_EQ(m.kernels[0].start_ns, 100);
  EXPECT_EQ(m.kernels[0].duration_ns, 40);
  EXPECT_EQ(m.kernels[0].grid, 12);
  EXPECT_EQ(m.kernels[0].threads, 256);
  EXPECT_EQ(m.kernels[1].name, "[memcpy]");
  EXPECT_EQ(m.kernels[1].grid, 0);
}

TEST(MeasuredOf, FlagsWorkOnAnotherStream) {
  EXPECT_EQ(measured({kernel("a", 100, 140, own_stream + 1)}, 1).flags, "left-queue");
}

TEST(MeasuredOf, FlagsWhatTheHostAskedMeanwhile) {
  const auto flags = [](std::int64_t DriverCalls::*count) {
    DriverCalls calls;
    calls.*count = 1;
    return measured_of(recorded({kernel("a", 1, 2)}, calls), 1, own_stream).flags;
  };
  EXPECT_EQ(flags(&DriverCalls::launches), "");
  EXPECT_EQ(flags(&DriverCalls::failed_launches), "launch-failed");
  EXPECT_EQ(flags(&DriverCalls::allocations), "allocates");
  EXPECT_EQ(flags(&DriverCalls::synchronisations), "synchronises");
  EXPECT_EQ(flags(&DriverCalls::module_loads), "loads-modules");
  Profiler::Recorded unfinished = recorded({kernel("a", 1, 2, 9)});
  unfinished.has_unfinished = true;
  EXPECT_EQ(measured_of(unfinished, 1, own_stream).flags, "left-queue unfinished");
}

std::string refusal(const DriverCalls& calls) {
  try {
    measured_of(recorded({}, calls), 1, own_stream);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    return error.what();
  }
  return "no error";
}

TEST(MeasuredOf, RefusesACallThatDidNothingAndSaysWhatMayBeWrong) {
  EXPECT_THAT(refusal({}), HasSubstr("no kernel, copy or fill was seen"));
  EXPECT_THAT(refusal({}), HasSubstr("stream()"));
  DriverCalls calls;
  calls.launches = calls.failed_launches = 3;
  EXPECT_THAT(refusal(calls), HasSubstr("3 of its launches failed"));
}

TEST(Agree, AllowsTheFloorOfAPairOfEventsAndNoMore) {
  const auto of_100_us = recorded({kernel("a", 1000, 61'000), kernel("b", 62'000, 101'000)});
  EXPECT_TRUE(agree(of_100_us, 100'000, 1, 100'000));
  EXPECT_TRUE(agree(of_100_us, 100'000, 1, 103'000));
  EXPECT_TRUE(agree(of_100_us, 100'000, 1, 99'500));
  EXPECT_FALSE(agree(of_100_us, 100'000, 1, 98'000)) << "shorter than what was seen";
  EXPECT_FALSE(agree(of_100_us, 100'000, 1, 120'000)) << "something was not seen";
  EXPECT_TRUE(agree(recorded({kernel("a", 1000, 1'001'000)}), 1'000'000, 1, 1'055'000))
      << "a twentieth of a long one";
}

TEST(Agree, SeesTimeThatTheProfilerDidNotSeeBetweenCalls) {
  std::vector<Activity> calls;
  for (std::uint64_t i = 0; i < 10; ++i)
    calls.push_back(kernel("a", 55'000 * i, 55'000 * i + 5000));
  // Ten kernels of 5 µs each, each behind 50 µs of something without a record.
  EXPECT_FALSE(agree(recorded(calls), 50'000, 10, 552'000));
  // Ten of them close behind each other.
  calls.clear();
  for (std::uint64_t i = 0; i < 10; ++i) calls.push_back(kernel("a", 6000 * i, 6000 * i + 5000));
  EXPECT_TRUE(agree(recorded(calls), 50'000, 10, 62'000));
}

std::vector<double> repeated(const std::vector<double>& values, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}

TEST(StepBetween, FindsTheStepBehindNeighboursOfTheConversion) {
  // 32 ns, told a nanosecond more or less.
  std::vector<double> intervals;
  for (int i = 20; i < 60; ++i) {
    for (const int off : {-1, 0, 1}) intervals.push_back(32.0 * i + off);
  }
  EXPECT_EQ(*step_between(intervals), 32);
}

TEST(StepBetween, TheLeastDistanceCountsWhereSomeLengthsWereNotSeen) {
  EXPECT_EQ(*step_between({640, 704, 800, 832, 1024}), 32);
}

TEST(StepBetween, LengthsThatLieCloseTogetherTellOfNoStep) {
  std::vector<double> intervals;
  for (int i = 0; i < 200; ++i) intervals.push_back(700 + i);
  EXPECT_EQ(*step_between(intervals), 1);
}

TEST(StepBetween, IsMissingWithFewerThanThreeLengths) {
  for (const auto& few :
       {std::vector<double>{}, repeated({640, 672, 673}, 20), repeated({640}, 100)}) {
    const auto step = step_between(few);
    ASSERT_FALSE(step.has_value());
    EXPECT_EQ(step.missing().reason, "does-not-step");
  }
}

TEST(AddFlag, SeparatesByBlanks) {
  std::string flags;
  add_flag(flags, "a");
  add_flag(flags, "b");
  EXPECT_EQ(flags, "a b");
}

}  // namespace
