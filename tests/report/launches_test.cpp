// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "assay/report/launches_words.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

model::Multiprocessors some_device() {
  model::Multiprocessors device;
  device.count = 132;
  device.threads = std::int64_t{2048};
  device.blocks = std::int64_t{32};
  return device;
}

judge::LaunchResult launch_of(const std::string& kernel, std::int64_t grid,
                              const Reading<double>& occupancy_frac) {
  judge::LaunchResult result;
  result.launch = {kernel, grid, 256, occupancy_frac};
  if (occupancy_frac) result.launch.occupancy_limited_by = std::string("registers");
  result.waves = model::waves_of({grid, 256, occupancy_frac}, some_device());
  return result;
}

using Row = std::vector<std::string>;

class Launches : public testing::Test {
 protected:
  void SetUp() override {
    plan_.cells.resize(1);
    plan_.cells[0].problem = "sum";
    plan_.cells[0].state = "warm";
    plan_.cells[0].boundary = "device";
    result_.cells.resize(1);
    result_.cells[0].subjects.resize(2);
    result_.cells[0].subjects[0].subject = "tiled";
    result_.cells[0].subjects[1].subject = "library";
  }
  experiment::Plan plan_;
  judge::Result result_;
};

TEST_F(Launches, AreARowEachWithWhatIsKnown) {
  EXPECT_TRUE(launches_table(result_, plan_).empty());
  const Missing unknown{"not-asked", ""};
  result_.cells[0].subjects[0].launches = {launch_of("sum", 1108, 1.0)};
  result_.cells[0].subjects[1].launches = {launch_of("pack", 16, unknown),
                                           launch_of("product", 5280, unknown)};
  const auto rows = launches_table(result_, plan_);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1], (Row{plan_.cells[0].id(), "tiled", "sum", "1108", "256", "100 %, by registers",
                          "8", "1.05", "the last wave is 5 % full"}));
  EXPECT_EQ(rows[2], (Row{"", "library", "pack", "16", "256", kDash, "at most 8", "at least 0.0152",
                          "too few blocks to fill the device"}));
  EXPECT_EQ(rows[3],
            (Row{"", "", "product", "5280", "256", kDash, "at most 8", "at least 5", kDash}));
}

TEST_F(Launches, OfManyTheFirstAreShownAndTheRestCounted) {
  for (int i = 0; i < 6; ++i) {
    result_.cells[0].subjects[0].launches.push_back(launch_of(std::string(40, 'k'), 10560, 1.0));
  }
  const auto rows = launches_table(result_, plan_);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1][2], std::string(31, 'k') + "…");
  EXPECT_EQ(rows[1].back(), "filled");
  EXPECT_EQ(rows[5][2], "… and 2 more");
  for (const Row& row : rows) EXPECT_EQ(row.size(), rows.front().size());
}

TEST_F(Launches, OfLibrariesHaveNamesThatCanBeRead) {
  result_.cells[0].subjects[0].launches = {launch_of(
      "_ZN46_GLOBAL__N__d6830675_17_reduction_cuda_cu_main14sum_each_blockEPKflPf", 8, 1.0)};
  EXPECT_EQ(launches_table(result_, plan_)[1][2], "sum_each_block");
}

}  // namespace
}  // namespace assay::report
