// SPDX-License-Identifier: MIT
#include "assay/run/ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "assay/env/ceilings.hpp"

namespace assay::run {
namespace {

using testing::HasSubstr;

class CeilingsOfPlan : public testing::Test {
 protected:
  void SetUp() override {
    plan_.descriptions.emplace_back();
    plan_.descriptions.front().device.id = "cpu";
    entry_.machine_fingerprint = "this";
    entry_.hostname = "here";
    entry_.device = "cpu";
    entry_.measured_utc = "2026-11-29T21:44:05+00:00";
    entry_.assay_version = "0.1.0";
    entry_.ceilings.vector_bits = 256;
    entry_.ceilings.cores = {0, 2};
    entry_.ceilings.cores_allowed = 4;
    entry_.ceilings.levels = {{"memory", Missing{"not-known", ""}, 1}};
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  void take(const std::string& fingerprint = "this", std::vector<int> cores = {0, 1, 2, 3}) {
    using std::chrono::sys_days;
    take_ceilings(plan_, Reading<std::filesystem::path>(directory_), fingerprint, cores,
                  sys_days(std::chrono::year(2027) / 1 / 3));
  }
  std::string reason() const { return plan_.ceilings.missing().reason; }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("assay-ceilings-test-" + std::to_string(getpid()));
  experiment::Plan plan_;
  env::StoredCeilings entry_;
};

TEST_F(CeilingsOfPlan, AreTheMachinesWithWhereTheyCameFrom) {
  EXPECT_FALSE(plan_.speaks_of_ceilings());
  env::write_ceilings(directory_, entry_);
  take();
  ASSERT_TRUE(plan_.ceilings);
  EXPECT_EQ(*plan_.ceilings, entry_.ceilings);
  EXPECT_EQ(*plan_.ceilings_source,
            (experiment::CeilingsSource{"2026-11-29T21:44:05+00:00", 34, "0.1.0"}));
  const Json json = experiment::to_json(plan_);
  EXPECT_EQ(json.at("ceilings_source").at("age_days"), 34);
}

TEST_F(CeilingsOfPlan, AreMissingWithTheReason) {
  take();
  EXPECT_EQ(reason(), "not-measured");
  EXPECT_THAT(plan_.ceilings.missing().detail, HasSubstr("`assay doctor --ceilings`"));
  EXPECT_TRUE(plan_.speaks_of_ceilings());
  env::write_ceilings(directory_, entry_);
  take("another");
  EXPECT_EQ(reason(), "other-machine");
  plan_.descriptions.front().device.id = "fake";
  take();
  EXPECT_EQ(reason(), "not-measured");
  EXPECT_FALSE(plan_.ceilings_source);
}

TEST_F(CeilingsOfPlan, OfOtherCoresSayNothing) {
  env::write_ceilings(directory_, entry_);
  take("this", {0, 1, 2});
  EXPECT_EQ(reason(), "other-cores");
  take("this", {0, 1, 3, 4});
  EXPECT_EQ(reason(), "other-cores");
  EXPECT_THAT(plan_.ceilings.missing().detail, HasSubstr("could use 4 cores"));
}

TEST_F(CeilingsOfPlan, AreTheDevicesWhereItMeasuredItsOwn) {
  env::write_ceilings(directory_, entry_);
  MachineCeilings own;
  own.instructions = "sm_90";
  own.levels = {{"memory", std::int64_t{1} << 37, 1}};
  plan_.descriptions.front().device.ceilings = own;
  plan_.descriptions.push_back(plan_.descriptions.front());
  take();
  EXPECT_EQ(*plan_.ceilings, own);
  EXPECT_FALSE(plan_.ceilings_source) << "they are as old as the plan";
  for (const auto& description : plan_.descriptions) {
    EXPECT_FALSE(description.device.ceilings) << "once is enough";
  }
}

TEST_F(CeilingsOfPlan, AreGivenUpWhereTheProbeHangs) {
  std::filesystem::create_directories(directory_);
  MeasureCeilings measuring;
  measuring.probe = directory_ / "probe";
  std::ofstream(measuring.probe) << "#!/bin/sh\nsleep 1000\n";
  std::filesystem::permissions(measuring.probe, std::filesystem::perms::owner_all);
  measuring.budget_s = 0.05;
  measuring.start_s = 0.1;
  try {
    measure_ceilings(measuring);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::worker);
    EXPECT_THAT(error.what(), HasSubstr("gave no answer within 0."));
  }
}

}  // namespace
}  // namespace assay::run
