// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/report/companion_text.hpp"
#include "companions.hpp"

namespace {

using namespace assay;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

record::CompanionRecord companion() {
  record::CompanionRecord record;
  record.path = "/x/timed-profile";
  record.is_sealed = true;
  record.companion = record::some_companion();
  record.counters = record::some_counters(record.companion);
  return record;
}

TEST(CounterLines, AreOfOneCallAndOverTheBaselines) {
  const auto record = companion();
  const auto lines = report::counter_lines(record);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(*lines[0].per_call, 100);
  EXPECT_EQ(lines[0].ratio.missing().reason, "baseline");
  EXPECT_EQ(*lines[2].per_call, 25);
  EXPECT_EQ(*lines[2].ratio, 0.25);
  EXPECT_EQ(lines[3].per_call.missing().reason, "not-simulated");
}

TEST(CounterLines, DivideByNoZeroAndByNothingUnknown) {
  auto record = companion();
  record.counters[3].value = 5.0;
  EXPECT_EQ(report::counter_lines(record)[3].ratio.missing().reason, "zero-baseline");
  record.counters[1].value = Missing{"threads", ""};
  EXPECT_EQ(report::counter_lines(record)[3].ratio.missing().reason, "no-baseline");
}

TEST(CounterLines, LeaveWhatIsNoCountUndividedByCalls) {
  auto record = companion();
  record.companion.metrics[0].is_additive = false;
  EXPECT_EQ(*report::counter_lines(record)[0].per_call, 1000);
  EXPECT_EQ(*report::counter_lines(record)[2].ratio, 0.25);
}

TEST(CompanionTable, ShowsCountersAndWhyTheyAreMissing) {
  const std::string text = report::companion_table(companion(), nullptr, false, {false, 80});
  EXPECT_THAT(text, HasSubstr("sum, warm"));
  EXPECT_THAT(text, ContainsRegex("n=64 +Ir +plain +100\n"));
  EXPECT_THAT(text, ContainsRegex("fast +25 +0\\.250\n"));
  EXPECT_THAT(text, ContainsRegex("fast +— +not-simulated\n"));
  EXPECT_THAT(text, HasSubstr("not-simulated: nothing empties the simulated caches."));
  EXPECT_THAT(text, HasSubstr("A note."));
  EXPECT_THAT(text, Not(HasSubstr("time, ")));
}

TEST(CompanionTable, SaysOnceWhatIsMissingForAll) {
  auto record = companion();
  record.counters[1].value = record.counters[3].value;
  const std::string text = report::companion_table(record, nullptr, false, {false, 80});
  EXPECT_THAT(text, ContainsRegex("\n +DLmr +— +not-simulated\n"));
}

TEST(CompanionTable, MarksWhatWasScaledUp) {
  auto record = companion();
  record.counters[2].counted_frac = 0.5;
  const std::string text = report::companion_table(record, nullptr, false, {false, 80});
  EXPECT_THAT(text, HasSubstr("scaled: counted 50"));
}

TEST(CompanionTable, ShowsTheTimesOfTheTimedRecordBeside) {
  judge::Result timed;
  for (const char* cell : {"sum/n=64/warm/call", "sum/n=64/cold/call"}) {
    judge::CellResult result;
    result.cell = cell;
    for (const auto& [name, ns] :
         {std::pair{"plain", 200.0}, {"control", 210.0}, {"fast", 100.0}}) {
      judge::SubjectResult subject;
      subject.subject = name;
      subject.median_ns = ns;
      result.subjects.push_back(subject);
    }
    timed.cells.push_back(result);
  }
  const std::string text = report::companion_table(companion(), &timed, false, {false, 80});
  EXPECT_THAT(text, ContainsRegex("time, call +plain +200.* ns +timed record\n"));
  EXPECT_THAT(text, ContainsRegex("fast +100.* ns +0\\.500 +timed record\n"));
  EXPECT_THAT(text, Not(HasSubstr("control")));
}

TEST(CompanionTable, ShowsKernelsOnDemand) {
  auto record = companion();
  record.counters[0].launch = 1;
  record.counters[0].kernel = "a_kernel";
  EXPECT_THAT(report::companion_table(record, nullptr, false, {false, 80}),
              Not(HasSubstr("a_kernel")));
  EXPECT_THAT(report::companion_table(record, nullptr, true, {false, 80}), HasSubstr("1 a_kernel"));
}

TEST(CompanionJson, HasEachCounterWithItsRatio) {
  const Json json = report::companion_json(companion());
  EXPECT_EQ(json.at("counters").size(), 4U);
  EXPECT_EQ(json.at("counters")[2].at("ratio_to_baseline").at("value"), 0.25);
  EXPECT_EQ(json.at("counters")[3].at("value").at("missing"), "not-simulated");
  EXPECT_EQ(json.at("companion").at("of").at("name"), "timed");
}

}  // namespace
