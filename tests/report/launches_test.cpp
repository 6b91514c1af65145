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

judge::LaunchResult spilling(std::int64_t stores, std::int64_t loads) {
  judge::LaunchResult result = launch_of("_Z3sumIfLi4EEvPKT_PS0_l", 1108, 1.0);
  result.launch.stack_bytes = 288;
  result.launch.spill_store_bytes = stores;
  result.launch.spill_load_bytes = loads;
  return result;
}

TEST_F(Launches, ThatSpillAreToldOnceForAllTheirCells) {
  result_.cells.resize(3, result_.cells[0]);
  for (std::size_t i = 0; i < 3; ++i) {
    result_.cells[i].cell = "sum/n=" + std::to_string(i) + "/warm/device";
    result_.cells[i].subjects[0].launches = {spilling(24, 28)};
  }
  const auto sentences = spill_sentences(result_);
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(
      sentences[0],
      "tiled spills registers to memory in sum<float, 4>: the code of a thread stores 24 bytes "
      "of them and loads 28, on a stack of 288 bytes; that traffic goes through the caches, and "
      "in part to the device's memory (sum/n=0/warm/device and 2 cells more).");
}

TEST_F(Launches, ThatDoNotSpillAreToldOnlyWhereAllOfThemAreKnown) {
  EXPECT_TRUE(spill_sentences(result_).empty());
  result_.cells[0].subjects[1].launches = {launch_of("product", 5280, Missing{"not-asked", ""})};
  EXPECT_TRUE(spill_sentences(result_).empty()) << "Assay compiled none";
  result_.cells[0].subjects[0].launches = {spilling(0, 0)};
  EXPECT_EQ(
      spill_sentences(result_),
      (std::vector<std::string>{"No kernel that Assay compiled spills registers to memory."}));
  result_.cells[0].subjects[0].launches.push_back(spilling(0, 0));
  result_.cells[0].subjects[0].launches[1].launch.spill_store_bytes = Missing{"not-in-log", ""};
  EXPECT_TRUE(spill_sentences(result_).empty());
}

}  // namespace
}  // namespace assay::report
