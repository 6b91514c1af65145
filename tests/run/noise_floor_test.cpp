// SPDX-License-Identifier: MIT
#include "assay/run/noise_floor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "assay/env/noise_floor.hpp"

namespace assay::run {
namespace {

using std::chrono::sys_days;
using testing::HasSubstr;

class NoiseFloorOfPlan : public testing::Test {
 protected:
  void SetUp() override {
    plan_.protocol.margin = 0.01;
    plan_.descriptions.emplace_back();
    plan_.descriptions.front().device.id = "cpu";
    entry_.machine_fingerprint = "this";
    entry_.hostname = "here";
    entry_.device = "cpu";
    entry_.floor = 0.02;
    entry_.trials = 64;
    entry_.measured_utc = "2026-11-29T21:44:05+00:00";
    entry_.assay_version = "0.1.0";
    entry_.record = "/records/1";
    entry_.record_digest = "d1";
    entry_.kernels = {{"short", 1, 0, 0.01, 64, 0.005, 0.003},
                      {"long", 1, 0, 0.04, 64, 0.02, 0.01}};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  void take(const std::string& fingerprint = "this") {
    take_noise_floor(plan_, Reading<std::filesystem::path>(directory_), fingerprint,
                     sys_days(std::chrono::year(2027) / 1 / 3));
  }

  std::filesystem::path directory_ = std::filesystem::temp_directory_path() /
                                     ("assay-noise-floor-test-" + std::to_string(getpid()));
  experiment::Plan plan_;
  env::NoiseFloor entry_;
};

TEST_F(NoiseFloorOfPlan, IsTheMachinesWithWhereItCameFrom) {
  env::write_noise_floor(directory_, entry_);
  take();
  EXPECT_EQ(*plan_.noise_floor, 0.02);
  EXPECT_EQ(plan_.margin_in_force(), 0.02);
  EXPECT_TRUE(plan_.is_noise_floor_in_force());
  ASSERT_TRUE(plan_.noise_floor_source);
  EXPECT_EQ(*plan_.noise_floor_source,
            (experiment::NoiseFloorSource{"2026-11-29T21:44:05+00:00", 34, 64, "long", "0.1.0",
                                          "/records/1", "d1"}));
}

TEST_F(NoiseFloorOfPlan, LeavesALargerMarginInForce) {
  env::write_noise_floor(directory_, entry_);
  plan_.protocol.margin = 0.05;
  take();
  EXPECT_EQ(plan_.margin_in_force(), 0.05);
  EXPECT_FALSE(plan_.is_noise_floor_in_force());
}

TEST_F(NoiseFloorOfPlan, IsMissingWithTheReason) {
  take();
  EXPECT_EQ(plan_.noise_floor.missing().reason, "not-measured");
  env::write_noise_floor(directory_, entry_);
  take("another");
  EXPECT_EQ(plan_.noise_floor.missing().reason, "other-machine");
  EXPECT_THAT(plan_.noise_floor.missing().detail, HasSubstr("here"));
  plan_.descriptions.front().device.id = "fake";
  take();
  EXPECT_EQ(plan_.noise_floor.missing().reason, "not-measured");
  EXPECT_FALSE(plan_.noise_floor_source);
  EXPECT_EQ(plan_.margin_in_force(), 0.01);
  take_noise_floor(plan_, Missing{"no-state-directory", "nowhere"}, "this", {});
  EXPECT_EQ(plan_.noise_floor.missing().reason, "no-state-directory");
}

TEST_F(NoiseFloorOfPlan, IsNotEvenReadWhenTheProtocolIgnoresIt) {
  std::filesystem::create_directories(directory_);
  std::ofstream(directory_ / env::noise_floor_name) << "damaged";
  plan_.protocol.ignores_noise_floor = true;
  take();
  EXPECT_EQ(plan_.noise_floor.missing().reason, "ignored");
  plan_.protocol.ignores_noise_floor = false;
  EXPECT_THROW(take(), Error);
}

}  // namespace
}  // namespace assay::run
