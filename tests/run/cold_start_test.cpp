// SPDX-License-Identifier: MIT
#include "assay/run/cold_start.hpp"

#include <gtest/gtest.h>

namespace assay::run {
namespace {

wire::StartupTold told(std::int64_t began_ns) {
  wire::StartupTold startup;
  startup.began_ns = began_ns;
  startup.phases[StartupPhase::context] = PhaseTime{2'000, 500};
  startup.phases[StartupPhase::call] = PhaseTime{7'000'000, 100};
  return startup;
}

TEST(StartupOf, BeginsWhenTheProcessIsLaunched) {
  const Startup startup = startup_of(told(1'500), 1'000, 9'000'000, false);
  EXPECT_EQ(*startup[StartupPhase::start], (PhaseTime{1'000, 500}));
  EXPECT_EQ(*startup[StartupPhase::context], (PhaseTime{2'000, 500}));
  EXPECT_EQ(startup[StartupPhase::driver].missing().reason, no_phase::not_told);
}

// No time at all would be a number that nobody measured.
TEST(StartupOf, AStartBeforeTheLaunchIsNone) {
  const Startup startup = startup_of(told(900), 1'000, 9'000'000, false);
  ASSERT_FALSE(startup[StartupPhase::start]);
  EXPECT_EQ(startup[StartupPhase::start].missing().reason, no_phase::implausible);
  EXPECT_TRUE(startup[StartupPhase::context]) << "another phase is another matter";
  EXPECT_EQ(*startup_of(told(1'000), 1'000, 9'000'000, false)[StartupPhase::start],
            (PhaseTime{1'000, 0}));
}

TEST(StartupOf, IsOverByNow) {
  EXPECT_EQ(startup_of(told(10'000), 1'000, 9'000, false)[StartupPhase::start].missing().reason,
            no_phase::implausible);
  const Startup late = startup_of(told(1'500), 1'000, 9'000, false);
  EXPECT_EQ(late[StartupPhase::call].missing().reason, no_phase::implausible);
  EXPECT_TRUE(startup_of(told(1'500), 1'000, 9'000, true)[StartupPhase::call]);
}

}  // namespace
}  // namespace assay::run
