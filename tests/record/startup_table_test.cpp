// SPDX-License-Identifier: MIT
#include "assay/record/startup_table.hpp"

#include <gmock/gmock.h>

#include "support.hpp"

namespace assay::record {
namespace {

using testing::HasSubstr;

std::vector<StartupRow> startup_of(const std::string& row, bool allow_cut_tail = false) {
  return parse_startup(std::string(startup_header) + "\n" + row, "startup.csv", allow_cut_tail);
}

std::string startup_refusal(const std::string& row) {
  return refusal_of(ErrorKind::bad_input, [&] { startup_of(row); });
}

TEST(StartupCsv, HasTheColumnsOfTheReference) {
  EXPECT_EQ(startup_header, "trial,process,phase,start_ns,interval_ns,missing");
}

TEST(StartupCsv, ARowIsATimeOrTheReasonWhyThereIsNone) {
  std::string text;
  append_csv(text, StartupRow{3, 17, StartupPhase::call, PhaseTime{1000, 250.5}});
  append_csv(text, StartupRow{3, 17, StartupPhase::load, Missing{no_phase::no_source, "a detail"}});
  EXPECT_EQ(text, "3,17,call,1000,250.5,\n3,17,load,,,no-source\n");
  const auto rows = startup_of(text);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].trial, 3);
  EXPECT_EQ(rows[0].process, 17);
  EXPECT_EQ(rows[0].phase, StartupPhase::call);
  EXPECT_EQ(*rows[0].time, (PhaseTime{1000, 250.5}));
  EXPECT_EQ(rows[1].time.missing().reason, "no-source");
}

TEST(StartupCsv, RefusesWhatIsNoRow) {
  EXPECT_THAT(startup_refusal("1,2,warm,1,2,\n"), HasSubstr("a phase that there is none of"));
  EXPECT_THAT(startup_refusal("1,2,call,,2,\n"), HasSubstr("without start_ns"));
  EXPECT_THAT(startup_refusal("1,2,call,,,\n"), HasSubstr("must say why"));
  EXPECT_THAT(startup_refusal("1,2,call,1,2,not-told\n"), HasSubstr("a reason beside a time"));
  EXPECT_THAT(startup_refusal("1,2,call,1,-2,\n"), HasSubstr("interval_ns"));
  EXPECT_THAT(startup_refusal("1,2,call,1,2\n"), HasSubstr("too few fields"));
  EXPECT_EQ(startup_of("1,2,call,1,2,\n1,2,ca", true).size(), 1U);
}

}  // namespace
}  // namespace assay::record
