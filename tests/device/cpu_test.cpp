// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/device/cpu/counter.hpp"
#include "assay/device/cpu/flush.hpp"

namespace {

using namespace assay;
using namespace assay::device;

// Returns when the monotonic clock has moved.
class Lasting final : public Invocation {
 public:
  void run(std::int64_t) override {
    const std::int64_t start = monotonic_ns();
    while (monotonic_ns() - start < 10'000) {
    }
  }
};

class Counting final : public Invocation {
 public:
  void run(std::int64_t iterations) override { ran += iterations; }
  std::int64_t ran = 0;
};

cpu_set_t allowed_now() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(StepOf, IsTheSmallestDistanceBetweenDifferences) {
  EXPECT_EQ(step_of({25, 27, 26, 30}), Reading<double>(1.0));
  EXPECT_EQ(step_of({96, 32, 64, 0, 0}), Reading<double>(32.0));
}

TEST(StepOf, IsTheDifferenceItselfWhereAllAreEqual) {
  EXPECT_EQ(step_of({40, 40, 40}), Reading<double>(40.0));
}

TEST(StepOf, TakesTwoNeighboursForOneRoundedValue) {
  EXPECT_NEAR(*step_of({0, 41, 42, 83, 84}), 1000.0 / 24, 0.5);
  EXPECT_NEAR(*step_of({0, 41, 42, 83, 84, 125, 5041, 5042}), 1000.0 / 24, 0.5);
  EXPECT_NEAR(*step_of({69, 70, 139, 140, 209, 210, 279, 280}), 1000 / 14.318, 0.5);
}

TEST(StepOf, IsOneUnitWhereThreeValuesFollowEachOther) {
  std::vector<double> dense;
  for (int i = 0; i < 50; ++i) dense.push_back(20 + i);
  EXPECT_EQ(step_of(dense), Reading<double>(1.0));
  EXPECT_EQ(step_of({0, 1, 2}), Reading<double>(1.0));
  EXPECT_EQ(step_of({0, 0, 1}), Reading<double>(1.0));
}

TEST(StepOf, OfACounterThatAdvancesByTwoIsTwo) {
  EXPECT_EQ(step_of({18, 20, 22, 26}), Reading<double>(2.0));
}

TEST(StepOf, IsMissingForATimerThatDoesNotMove) {
  EXPECT_FALSE(step_of({0, 0, 0}).has_value());
  EXPECT_FALSE(step_of({}).has_value());
}

TEST(Cpu, RunsTheInvocationOnceWithItsIterations) {
  Cpu cpu;
  Counting counting;
  cpu.measure(counting, 12, "monotonic");
  EXPECT_EQ(counting.ran, 12);
}

TEST(Cpu, BoundsAnIntervalByTheClockAroundIt) {
  Cpu cpu;
  Lasting lasting;
  for (const Timer& timer : cpu.timers()) {
    const std::int64_t before = monotonic_ns();
    const Measured measured = cpu.measure(lasting, 1, timer.name);
    const std::int64_t after = monotonic_ns();
    EXPECT_GE(measured.interval_ns, 9'900) << timer.name;
    // Loose: the counter's rate is known to some parts in a million.
    EXPECT_LE(measured.interval_ns, static_cast<double>(after - before) * 1.01 + 1) << timer.name;
    EXPECT_GE(measured.start_ns, before);
    EXPECT_LE(measured.start_ns, after);
  }
}

TEST(Cpu, ItsDefaultTimerIsTheMonotonicClock) {
  Cpu cpu;
  const auto timers = cpu.timers();
  ASSERT_FALSE(timers.empty());
  EXPECT_EQ(timers.front().name, "monotonic");
  for (const Timer& timer : timers) {
    ASSERT_TRUE(timer.resolution_ns.has_value());
    EXPECT_GT(*timer.resolution_ns, 0);
    ASSERT_TRUE(timer.floor_ns.has_value());
    // In nanoseconds: a median of intervals around nothing is far from a tenth of a millisecond.
    EXPECT_LT(*timer.floor_ns, 100'000);
  }
}

TEST(Cpu, OffersTheCounterWhereItIsUsable) {
  Cpu cpu;
  const auto timers = cpu.timers();
  EXPECT_EQ(timers.size(), counter_is_usable() ? 2U : 1U);
}

TEST(Cpu, RefusesATimerThatItDoesNotHave) {
  Cpu cpu;
  Counting counting;
  EXPECT_THROW(cpu.measure(counting, 1, "sundial"), Error);
  EXPECT_EQ(counting.ran, 0);
}

TEST(Cpu, LetsThroughWhatTheInvocationThrows) {
  class Throwing final : public Invocation {
    void run(std::int64_t) override { throw std::runtime_error("thrown"); }
  };
  Cpu cpu;
  Throwing throwing;
  EXPECT_THROW(cpu.measure(throwing, 1, "monotonic"), std::runtime_error);
}

TEST(Cpu, AllocatesWholePages) {
  Cpu cpu;
  for (const std::size_t bytes : {0U, 1U, 4096U, 5000U}) {
    const Allocation memory = cpu.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096, 0U);
    EXPECT_EQ(memory.bytes(), bytes);
  }
}

TEST(Cpu, AnAllocationThatCannotBeIsAnErrorOfTheDevice) {
  Cpu cpu;
  try {
    cpu.allocate(std::size_t{1} << 60);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
  }
}

TEST(Cpu, EvictingKeepsTheBytes) {
  Cpu cpu;
  std::vector<unsigned char> bytes(100'003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  const std::vector<unsigned char> before = bytes;
  const std::vector<Range> ranges{{bytes.data() + 3, bytes.size() - 3}, {bytes.data(), 0}};
  cpu.evict(Eviction::clean, ranges);
  EXPECT_EQ(bytes, before);
  EXPECT_STRNE(flush_method(), "none");
}

TEST(Cpu, BindsToOneCoreAndBack) {
  const cpu_set_t before = allowed_now();
  Cpu cpu;
  int core = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(core), &before)) ++core;
  cpu.bind_to_cores({core});
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<std::size_t>(core), &only);
  const cpu_set_t bound = allowed_now();
  EXPECT_TRUE(CPU_EQUAL(&bound, &only));
  cpu.bind_to_cores({});
  const cpu_set_t back = allowed_now();
  EXPECT_TRUE(CPU_EQUAL(&back, &before));
}

TEST(Cpu, MarksASampleThatEndsOnAnotherCore) {
  const cpu_set_t allowed = allowed_now();
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE && cores.size() < 2; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) cores.push_back(core);
  }
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  class Moving final : public Invocation {
   public:
    Moving(Cpu& cpu, int core) : cpu_(cpu), core_(core) {}
    void run(std::int64_t) override { cpu_.bind_to_cores({core_}); }

   private:
    Cpu& cpu_;
    int core_;
  };
  Cpu cpu;
  cpu.bind_to_cores({cores[0]});
  Moving moving(cpu, cores[1]);
  EXPECT_THAT(cpu.measure(moving, 1, "monotonic").flags, testing::HasSubstr("migrated"));
  Counting counting;
  EXPECT_THAT(cpu.measure(counting, 1, "monotonic").flags,
              testing::Not(testing::HasSubstr("migrated")));
  cpu.bind_to_cores({});
}

TEST(Cpu, SaysWhichCoresItCannotBindTo) {
  Cpu cpu;
  for (const int core : {1023, -1, 5000}) {
    try {
      cpu.bind_to_cores({core});
      FAIL() << core;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(core)));
    }
  }
}

TEST(Open, RefusesADeviceThatItDoesNotKnow) {
  EXPECT_EQ(open("cpu")->id(), "cpu");
  EXPECT_THROW(open("abacus"), Error);
  EXPECT_THROW(open("fake:/there/is/no/such/script.json"), Error);
}

}  // namespace
