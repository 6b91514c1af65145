// SPDX-License-Identifier: MIT
//
// How ceilings are measured, with passes that say how long they took.
#include "assay/device/cuda/passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/device/device.hpp"

namespace {

using namespace assay;
using namespace assay::device::cuda;
using testing::HasSubstr;

constexpr std::int64_t mib = 1 << 20;
constexpr std::int64_t gib = 1 << 30;

// Gives the times one after the other, and counts.
std::function<double()> passes_of(std::vector<double> ns, int& done) {
  return [ns = std::move(ns), &done] { return ns.at(static_cast<std::size_t>(done++)); };
}

TEST(Passes, TheBestAndTheMedianOfAFewStandForTheRate) {
  int done = 0;
  const auto rate = rate_over(passes_of({2000, 1000, 4000, 1000, 2000, 2000, 2500}, done), 100);
  ASSERT_TRUE(rate);
  EXPECT_EQ(*rate, (Passes{1e8, 5e7, 7}));
}

TEST(Passes, OnASlowDeviceThereAreFewer) {
  int done = 0;
  EXPECT_EQ(rate_over(passes_of({30e6, 30e6, 30e6}, done), 1)->count, 3) << "no fewer than three";
  done = 0;
  EXPECT_EQ(rate_over(passes_of({6e6, 6e6, 6e6, 6e6}, done), 1)->count, 4) << "20 ms are enough";
}

TEST(Passes, ATimerThatSeesNothingGivesNoRate) {
  int done = 0;
  EXPECT_EQ(rate_over(passes_of({1000, 0}, done), 100).missing().reason, "no-time");
}

TEST(Passes, ArithmeticIsAsLongAsAPassIsToBe) {
  EXPECT_EQ(rounds_for(2e6, 4, 16e3), 500U);
  EXPECT_EQ(rounds_for(2e6, 4, 1e9), 1U) << "of a device that is very slow at it";
  EXPECT_EQ(rounds_for(2e6, 4, 0), 4U) << "what a timer does not see cannot be scaled";
  EXPECT_GT(rounds_for(1e300, 4, 1e-9), 1U);
}

TEST(Passes, ArraysAreLargeButLeaveHalfOfWhatIsFree) {
  EXPECT_EQ(*array_bytes_for(140 * gib, 50 * mib), 2 * gib);
  EXPECT_EQ(*array_bytes_for(12 * gib, 50 * mib), 2 * gib);
  EXPECT_EQ(*array_bytes_for(12 * gib - 1, 50 * mib), 1 * gib);
  EXPECT_EQ(*array_bytes_for(2 * gib, 4 * mib), 256 * mib);
  // A cache would hold a part of less than 200 MiB.
  const auto none = array_bytes_for(1 * gib, 50 * mib);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.missing().reason, "no-room");
  EXPECT_THAT(none.missing().detail, HasSubstr(std::to_string(200 * mib)));
}

TEST(Passes, MatricesAreSmallerWhereMemoryIsShort) {
  EXPECT_EQ(*matrix_width_for(140 * gib), 8192);
  EXPECT_EQ(*matrix_width_for(700 * mib), 4096);
  EXPECT_EQ(*matrix_width_for(60 * mib), 2048);
  EXPECT_EQ(matrix_width_for(40 * mib).missing().reason, "no-room");
}

Reading<Passes> fails(const char* why) { throw Error(ErrorKind::device, why); }

TEST(Passes, AWayThatFailsTakesNothingFromTheOthers) {
  const auto ten = [] { return Reading<Passes>(Passes{11, 10, 7}); };
  const auto twelve = [] { return Reading<Passes>(Passes{13, 12, 7}); };
  const auto first = [] { return fails("the first"); };
  const auto second = [] { return fails("the second"); };
  EXPECT_EQ(best_of({ten, first}, "library-failed").passes->median, 10) << "that stays";
  EXPECT_EQ(best_of({first, ten}, "library-failed").passes->median, 10);
  EXPECT_EQ(best_of({ten, first, twelve}, "library-failed").passes->median, 12);
  EXPECT_EQ(best_of({first, second}, "library-failed").passes.missing(),
            (Missing{"library-failed", "the first"}));
}

TEST(Passes, TheBestWayIsNamedAndOfEqualOnesTheFirst) {
  const auto none = [] { return Reading<Passes>(Missing{"no-time", ""}); };
  const auto ten = [] { return Reading<Passes>(Passes{11, 10, 7}); };
  const auto lucky = [] { return Reading<Passes>(Passes{99, 9, 7}); };
  const auto twelve = [] { return Reading<Passes>(Passes{13, 12, 7}); };
  EXPECT_EQ(best_of({none, ten, lucky, twelve, ten}, "any").index, 3U);
  EXPECT_EQ(best_of({ten, ten}, "any").index, 0U);
  EXPECT_EQ(best_of({none, none}, "any").passes.missing().reason, "no-time");
}

TEST(Passes, ADeviceThatIsLostInOneWayIsLost) {
  const auto loses = []() -> Reading<Passes> { throw device::DeviceLost("gone"); };
  EXPECT_THROW(best_of({[] {
                          return Reading<Passes>(Passes{11, 10, 7});
                        },
                        loses},
                       "any"),
               device::DeviceLost);
}

}  // namespace
