// SPDX-License-Identifier: MIT
#include "assay/profile/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "plans.hpp"

namespace assay::profile {
namespace {

using testing::HasSubstr;

std::string refusal(const Selection& selection) {
  try {
    units_of(some_plan(), {}, selection);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Units, AreTheSubjectsOfEachCellWhateverTheBoundary) {
  const auto units = units_of(some_plan(), {}, {});
  ASSERT_EQ(units.size(), 12U);
  EXPECT_EQ(units[0].subject.name, "plain");
  EXPECT_TRUE(units[0].is_baseline);
  EXPECT_EQ(units[0].threads, 1);
  EXPECT_FALSE(units[1].is_baseline);
  EXPECT_EQ(units[1].threads, -1);
  EXPECT_EQ(units[2].own_state, "dust");
  EXPECT_EQ(units[0].own_state, "");
  EXPECT_EQ(units[11].state, "cold");
}

TEST(Units, AreThoseThatAreAskedFor) {
  Selection selection;
  selection.subjects = {"fast"};
  selection.cases = {"dtype=f32 n=256"};
  selection.states = {"cold"};
  const auto units = units_of(some_plan(), {}, selection);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].the_case.id(), "n=256 dtype=f32");
}

TEST(Units, AreFilteredByTheIdsOfCells) {
  Selection selection;
  selection.filter = {"call",
                      [](const std::string& id) { return id == "sum/n=64 dtype=f32/warm/call"; }};
  EXPECT_EQ(units_of(some_plan(), {}, selection).size(), 3U);
  selection.filter.matches = [](const std::string&) { return false; };
  EXPECT_THAT(refusal(selection), HasSubstr("nothing of the record is left"));
}

TEST(Units, RefuseNamesThatTheRecordDoesNotHave) {
  EXPECT_THAT(refusal({{"slow"}, {}, {}, {}}), HasSubstr("dusty, fast, plain"));
  EXPECT_THAT(refusal({{}, {"n=65 dtype=f32"}, {}, {}}), HasSubstr("dtype=f32 n=64"));
  EXPECT_THAT(refusal({{}, {"n=="}, {}, {}}), HasSubstr("--case"));
  EXPECT_THAT(refusal({{}, {}, {"tepid"}, {}}), HasSubstr("cold, warm"));
}

TEST(Units, KnowTheCallsOfASample) {
  experiment::Calibration calibration;
  experiment::CellCalibration cell;
  cell.cell = "sum/n=64 dtype=f32/warm/device";
  cell.iterations = std::int64_t{40};
  calibration.cells = {cell};
  const auto units = units_of(some_plan(), calibration, {});
  EXPECT_EQ(units[0].calls_timed, 40);
  EXPECT_EQ(units[3].calls_timed, 1);
}

}  // namespace
}  // namespace assay::profile
