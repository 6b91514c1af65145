// SPDX-License-Identifier: MIT
#include "assay/device/fake/fake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "assay/base/error.hpp"

namespace {

using namespace assay;
using namespace assay::device;

class CallsOfFake final : public Invocation {
 public:
  void run(std::int64_t iterations) override { ran += iterations; }
  std::int64_t ran = 0;
};

Fake fake_of(const std::string& members) {
  return Fake(parse_script(R"({"assay_fake": 1, )" + members + "}", "script"));
}

Occasion occasion_of(const std::string& subject, std::int64_t trial = 1) {
  Occasion occasion;
  occasion.trial = trial;
  occasion.stage = "block";
  occasion.problem = "sum";
  occasion.case_id = "n=16 dtype=f32";
  occasion.state = "warm";
  occasion.subject = subject;
  occasion.code = subject == "control" ? "a" : subject;
  return occasion;
}

Measured sample(Fake& fake, const Occasion& occasion, std::int64_t iterations = 1) {
  CallsOfFake counting;
  fake.begin(occasion);
  const Measured measured = fake.measure(counting, iterations, "scripted");
  EXPECT_EQ(counting.ran, 1);
  return measured;
}

double interval(Fake& fake, const Occasion& occasion, std::int64_t iterations = 1) {
  return sample(fake, occasion, iterations).interval_ns;
}

TEST(Fake, ShowsTheScriptedTimePerIteration) {
  Fake fake = fake_of(R"("call_ns": 100, "subjects": {"a": 250}, "timer": {"floor_ns": 0})");
  EXPECT_NEAR(interval(fake, occasion_of("a"), 4), 1000, 1);
  EXPECT_NEAR(interval(fake, occasion_of("other"), 4), 400, 1);
}

template <typename F>
std::string refusal_of(F&& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Fake, RefusesTimesThatItsClockCannotShow) {
  Fake fake = fake_of(R"("call_ns": 1e300)");
  EXPECT_THAT(refusal_of([&] { interval(fake, occasion_of("a")); }),
              testing::HasSubstr("beyond what a clock of nanoseconds can show"));
}

TEST(Fake, RefusesCountersThatGrowOutOfRange) {
  Script script;
  script.telemetry.emplace();
  script.telemetry->values["energy_mj"] = 1;
  script.telemetry->advance["energy_mj"] = std::numeric_limits<std::int64_t>::max() - 1;
  Fake fake(script);
  fake.begin(occasion_of(""));
  fake.telemetry();
  fake.telemetry();  // the second reading of the first block: exactly the most that there is
  EXPECT_THAT(refusal_of([&] { fake.telemetry(); }), testing::HasSubstr("'energy_mj' grow beyond"));
}

TEST(Fake, TheControlTakesTheTimeOfTheBaselineTimesItsBias) {
  Fake fake = fake_of(R"("subjects": {"a": 1000}, "control_bias": 1.5)");
  EXPECT_NEAR(interval(fake, occasion_of("control")), 1500, 1);
}

TEST(Fake, EffectsApplyWhereTheirPatternsFit) {
  Fake fake = fake_of(R"("call_ns": 1000, "effects": [{"subject": "b", "factor": 2},)"
                      R"({"case": "n=16 *", "state": "cold", "factor": 3}])");
  EXPECT_NEAR(interval(fake, occasion_of("a")), 1000, 1);
  EXPECT_NEAR(interval(fake, occasion_of("b")), 2000, 1);
  Occasion cold = occasion_of("b");
  cold.state = "cold";
  EXPECT_NEAR(interval(fake, cold), 6000, 1);
  cold.case_id = "n=17 dtype=f32";
  EXPECT_NEAR(interval(fake, cold), 2000, 1);
}

TEST(Fake, DriftGrowsWithTheBlock) {
  Fake fake = fake_of(R"("call_ns": 1000, "drift_per_block": 0.1)");
  Occasion later = occasion_of("a");
  later.block = 5;
  EXPECT_NEAR(interval(fake, later), 1500, 1);
}

TEST(Fake, CutsBothEndsOfAnIntervalToTheStep) {
  Fake fake = fake_of(R"("call_ns": 50, "timer": {"resolution_ns": 32})");
  double sum = 0;
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i) {
    const double seen = interval(fake, occasion_of("a"));
    EXPECT_TRUE(seen == 32 || seen == 64) << seen;
    sum += seen;
  }
  // The ends fall anywhere in a step, so the mean is the truth: each sample's SD is 16 ns at most.
  EXPECT_NEAR(sum / count, 50, 5 * 16 / std::sqrt(count));
}

TEST(Fake, TheSameScriptGivesTheSameSamples) {
  const char* text = R"("between_trials_sd": 0.1, "within_trial_sd": 0.1)";
  Fake first = fake_of(text);
  Fake second = fake_of(text);
  for (int i = 0; i < 10; ++i) {
    const Measured a = sample(first, occasion_of("a"));
    const Measured b = sample(second, occasion_of("a"));
    EXPECT_EQ(a.interval_ns, b.interval_ns);
    EXPECT_EQ(a.start_ns, b.start_ns);
  }
}

TEST(Fake, ASpreadBetweenTrialsIsCommonToTheirSubjects) {
  Fake fake = fake_of(R"("call_ns": 1e6, "between_trials_sd": 0.1)");
  const double in_first = interval(fake, occasion_of("a", 1));
  EXPECT_NEAR(interval(fake, occasion_of("b", 1)), in_first, 1);
  EXPECT_GT(std::abs(interval(fake, occasion_of("a", 2)) - in_first), 10);
}

TEST(Fake, ASpreadOfSubjectsIsTheirOwn) {
  Fake fake = fake_of(R"("call_ns": 1e6, "between_trials_subject_sd": 0.1)");
  const double first = interval(fake, occasion_of("a"));
  EXPECT_NEAR(interval(fake, occasion_of("a")), first, 1);
  EXPECT_GT(std::abs(interval(fake, occasion_of("control")) - first), 10);
}

Occasion canary_of(const std::string& kernel, std::int64_t trial, std::int64_t moment) {
  Occasion occasion;
  occasion.trial = trial;
  occasion.stage = "canary";
  occasion.subject = occasion.code = "canary-" + kernel;
  occasion.block = moment;
  return occasion;
}

TEST(Fake, CanariesTakeTheirOwnTimesAndChangeWithTheTrial) {
  Fake fake = fake_of(R"("call_ns": 5, "effects": [{"factor": 9}], "canary": {"compute_ns": 1000,)"
                      R"("memory_ns": 3000, "changes": [{"kernel": "memory", "moment": "end",)"
                      R"("from": 2, "to": 3, "factor": 2}]})");
  EXPECT_NEAR(interval(fake, canary_of("compute", 2, 1)), 1000, 1);
  EXPECT_NEAR(interval(fake, canary_of("memory", 1, 1)), 3000, 1);
  EXPECT_NEAR(interval(fake, canary_of("memory", 2, 0)), 3000, 1);
  EXPECT_NEAR(interval(fake, canary_of("memory", 2, 1)), 6000, 1);
  EXPECT_NEAR(interval(fake, canary_of("memory", 3, 1)), 6000, 1);
  EXPECT_NEAR(interval(fake, canary_of("memory", 4, 1)), 3000, 1);
}

TEST(Fake, CanariesChangeNoSampleOfASubject) {
  const char* text = R"("within_trial_sd": 0.1, "timer": {"resolution_ns": 7})";
  Fake with = fake_of(text);
  Fake without = fake_of(text);
  sample(with, canary_of("compute", 1, 0));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(interval(with, occasion_of("a")), interval(without, occasion_of("a")));
  }
}

TEST(Fake, TheSpreadWithinATrialHasTheScriptedSize) {
  Fake fake = fake_of(R"("call_ns": 1e6, "within_trial_sd": 0.02)");
  constexpr int count = 4000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double relative = interval(fake, occasion_of("a")) / 1e6 - 1;
    sum += relative;
    squares += relative * relative;
  }
  // Five standard errors of the mean and of the SD.
  EXPECT_NEAR(sum / count, 0, 5 * 0.02 / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), 0.02, 5 * 0.02 / std::sqrt(2 * count));
}

TEST(Fake, TrialsBeginOnAScaleOfTheirOwn) {
  Fake fake = fake_of(R"("seed": 1)");
  EXPECT_EQ(sample(fake, occasion_of("a", 3)).start_ns, 3'000'000'000'000);
  EXPECT_GT(sample(fake, occasion_of("a", 3)).start_ns, 3'000'000'000'000);
}

TEST(Fake, FaultsHappenWhereTheyAreWritten) {
  const char* text =
      R"("faults": [{"kind": "throw", "stage": "block", "trial": 2, "subject": "b", "block": 1}])";
  Fake fake = fake_of(text);
  Occasion there = occasion_of("b", 2);
  there.block = 1;
  EXPECT_THROW(fake.begin(there), std::runtime_error);
  Occasion elsewhere = there;
  elsewhere.trial = 1;
  EXPECT_NO_THROW(fake.begin(elsewhere));
  elsewhere = there;
  elsewhere.subject = "a";
  EXPECT_NO_THROW(fake.begin(elsewhere));
  elsewhere = there;
  elsewhere.stage = "check";
  EXPECT_NO_THROW(fake.begin(elsewhere));
  elsewhere = there;
  elsewhere.block = 2;
  EXPECT_NO_THROW(fake.begin(elsewhere));
}

TEST(Fake, AZeroIntervalIsZero) {
  Fake fake = fake_of(R"("faults": [{"kind": "zero-interval", "stage": "block", "subject": "a"}])");
  EXPECT_EQ(interval(fake, occasion_of("a")), 0);
  EXPECT_GT(interval(fake, occasion_of("b")), 0);
}

TEST(Fake, AsksTheWorkerForDisturbances) {
  Fake fake = fake_of(R"("faults": [{"kind": "wrong-output", "stage": "block", "subject": "a"},)"
                      R"({"kind": "slow-answer", "stage": "idle", "seconds": 2}])");
  EXPECT_EQ(fake.disturbance(occasion_of("a")).kind, Disturbance::Kind::wrong_output);
  EXPECT_EQ(fake.disturbance(occasion_of("b")).kind, Disturbance::Kind::none);
  Occasion idle;
  idle.stage = "idle";
  EXPECT_EQ(fake.disturbance(idle).kind, Disturbance::Kind::slow_answer);
  EXPECT_EQ(fake.disturbance(idle).seconds, 2);
}

TEST(Fake, RefusesAnotherTimer) {
  Fake fake = fake_of(R"("seed": 1)");
  CallsOfFake counting;
  EXPECT_THROW(fake.measure(counting, 1, "monotonic"), Error);
}

Fake of_two_boundaries() {
  return fake_of(R"("call_ns": 1000, "timers": [{"name": "cupti", "boundaries": ["device"],)"
                 R"( "resolution_ns": 32, "is_per_call": true, "sees_kernels": true},)"
                 R"({"name": "host", "boundaries": ["call", "device"], "floor_ns": 500}])");
}

TEST(Fake, HasTheTimersAndBoundariesOfItsScript) {
  Fake fake = of_two_boundaries();
  EXPECT_EQ(fake.boundaries(), (std::vector<std::string>{"device", "call"}));
  const auto timers = fake.timers();
  ASSERT_EQ(timers.size(), 2U);
  EXPECT_EQ(timers[0].name, "cupti");
  EXPECT_EQ(*timers[0].resolution_ns, 32);
  EXPECT_TRUE(timers[0].is_per_call);
  EXPECT_EQ(timers[1].boundaries, (std::vector<std::string>{"call", "device"}));
  EXPECT_FALSE(timers[1].is_per_call);
  CallsOfFake counting;
  fake.begin(occasion_of("a"));
  EXPECT_NEAR(fake.measure(counting, 2, "host").interval_ns, 2500, 1);
  EXPECT_THROW(fake.measure(counting, 1, "scripted"), Error);
}

TEST(Fake, AProcessKnowsTheStepsOfItsOwnBoundaryOnly) {
  const Script script = parse_script(
      R"({"assay_fake": 1, "timers": [{"name": "a", "boundaries": ["device"], "resolution_ns": 3},)"
      R"({"name": "b", "boundaries": ["call"], "resolution_ns": 7}]})",
      "s");
  const auto steps = [&](const std::string& boundary) {
    std::vector<std::string> known;
    for (const Timer& timer : Fake(script, {boundary, ""}).timers()) {
      if (timer.resolution_ns) known.push_back(timer.name);
    }
    return known;
  };
  EXPECT_EQ(steps(""), std::vector<std::string>{"a"});
  EXPECT_EQ(steps("device"), std::vector<std::string>{"a"});
  EXPECT_EQ(steps("call"), std::vector<std::string>{"b"});
}

TEST(Fake, KernelsAddUpToTheInterval) {
  Fake fake = of_two_boundaries();
  CallsOfFake counting;
  fake.begin(occasion_of("control"));
  const Measured measured = fake.measure(counting, 3, "cupti");
  ASSERT_EQ(measured.kernels.size(), 3U);
  std::int64_t sum_ns = 0;
  std::int64_t end_ns = measured.start_ns;
  for (const KernelRecord& kernel : measured.kernels) {
    EXPECT_EQ(kernel.name, "a") << "the code that runs, not the label";
    EXPECT_GE(kernel.start_ns, end_ns);
    end_ns = kernel.start_ns + kernel.duration_ns;
    sum_ns += kernel.duration_ns;
  }
  EXPECT_EQ(static_cast<double>(sum_ns), measured.interval_ns);
  EXPECT_TRUE(fake.measure(counting, 3, "host").kernels.empty());
}

TEST(Fake, EvictsByWritingWhereTheScriptSaysSo) {
  EXPECT_EQ(fake_of(R"("seed": 1)").evictions().size(), 1U);
  EXPECT_EQ(fake_of(R"("evicts_by_writing": true)").evictions().back(), Eviction::by_writing);
}

TEST(Fake, OwnMemoryIsReachedByCopies) {
  Fake fake = fake_of(R"("has_own_memory": true)");
  EXPECT_FALSE(fake.is_host_memory());
  EXPECT_TRUE(fake_of(R"("seed": 1)").is_host_memory());
  const Allocation first = fake.allocate(8);
  const Allocation second = fake.allocate(8);
  const double value = 7;
  double back = 0;
  fake.copy_from_host(first.data(), &value, 8);
  fake.copy_within(second.data(), first.data(), 8);
  fake.copy_to_host(&back, second.data(), 8);
  EXPECT_EQ(back, 7);
  // A subject that runs sees it.
  fake.begin(occasion_of("a"));
  EXPECT_EQ(*static_cast<double*>(second.data()), 7);
  const Allocation while_running = fake.allocate(8);
  *static_cast<double*>(while_running.data()) = 9;
  fake.synchronize();
  fake.copy_to_host(&back, while_running.data(), 8);
  EXPECT_EQ(back, 9);
}

TEST(FakeDeathTest, TheHostCrashesOnMemoryOfTheDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Fake fake = fake_of(R"("has_own_memory": true)");
  const Allocation memory = fake.allocate(8);
  const auto touch = [&] { *static_cast<volatile char*>(memory.data()) = 1; };
  EXPECT_DEATH(touch(), "");
  fake.begin(occasion_of("a"));
  touch();
  fake.synchronize();
  EXPECT_DEATH(touch(), "");
}

TEST(Fake, ALostDeviceShowsAfterTheSubjectRanAndStaysLost) {
  Fake fake = fake_of(R"("faults": [{"kind": "lost", "stage": "block", "subject": "b"}])");
  const Allocation memory = fake.allocate(8);
  double value = 0;
  EXPECT_NO_THROW(sample(fake, occasion_of("a")));
  EXPECT_NO_THROW(fake.begin(occasion_of("b"))) << "a launch does not say it";
  CallsOfFake counting;
  EXPECT_THROW(fake.measure(counting, 1, "scripted"), DeviceLost);
  EXPECT_EQ(counting.ran, 1);
  EXPECT_THROW(fake.synchronize(), DeviceLost);
  EXPECT_THROW(fake.copy_to_host(&value, memory.data(), 8), DeviceLost);
  EXPECT_THROW(fake.copy_from_host(memory.data(), &value, 8), DeviceLost);
  fake.begin(occasion_of("a"));
  EXPECT_THROW(fake.measure(counting, 1, "scripted"), DeviceLost);
  Occasion request;
  request.stage = "check";
  EXPECT_THROW(fake.begin(request), DeviceLost) << "with no subject about to run it shows at once";
}

TEST(FakeDeathTest, CrashesAndLeavesAsWritten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Fake crash = fake_of(R"("faults": [{"kind": "crash", "stage": "block"}])");
  EXPECT_EXIT(crash.begin(occasion_of("a")), testing::KilledBySignal(SIGSEGV), "");
  Fake abort = fake_of(R"("faults": [{"kind": "crash", "stage": "block", "signal": "SIGABRT"}])");
  EXPECT_EXIT(abort.begin(occasion_of("a")), testing::KilledBySignal(SIGABRT), "");
  Fake leave = fake_of(R"("faults": [{"kind": "exit", "stage": "block", "code": 7}])");
  EXPECT_EXIT(leave.begin(occasion_of("a")), testing::ExitedWithCode(7), "");
}

}  // namespace
