// SPDX-License-Identifier: MIT
#include "assay/profile/perf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "assay/profile/events.hpp"
#include "companions.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

using record::put;
using testing::HasSubstr;

std::string counts(const std::string& first, const std::string& second) {
  return R"({"format": "assay-counts/1", "events": [{"event": "0:1:0:0:u", "group": 0, "reading": )" +
         first + R"(}, {"event": "1:2:0:0:uk", "group": 0, "reading": )" + second + "}]}";
}

std::string value(int count, int enabled_ns, int running_ns) {
  return R"({"value": {"count": )" + std::to_string(count) + R"(, "enabled_ns": )" +
         std::to_string(enabled_ns) + R"(, "running_ns": )" + std::to_string(running_ns) + "}}";
}

TEST(ParseCounts, ScalesWhatHadToTakeTurns) {
  const auto events = parse_counts(counts(value(300, 400, 100), value(7, 400, 400)), "counts");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(*events[0].value, 1200);
  EXPECT_EQ(events[0].counted_frac, 0.25);
  EXPECT_EQ(*events[1].value, 7);
  EXPECT_EQ(events[1].counted_frac, 1);
}

TEST(ParseCounts, KnowsNoValueOfWhatNeverCounted) {
  const auto events = parse_counts(
      counts(value(0, 400, 0), R"({"missing": "not-supported", "detail": "No such file"})"),
      "counts");
  EXPECT_EQ(events[0].value.missing().reason, "not-scheduled");
  EXPECT_EQ(events[1].value.missing(), (Missing{"not-supported", "No such file"}));
}

TEST(ParseCounts, RefusesAReasonThatCannotBeWritten) {
  for (const char* reading :
       {R"({"missing": "", "detail": ""})", R"({"missing": "a\n", "detail": ""})",
        R"({"missing": "lost", "detail": "\u0001"})"}) {
    EXPECT_THROW(parse_counts(counts(value(0, 400, 400), reading), "counts"), Error) << reading;
  }
}

TEST(ParseCounts, RefusesWhatCannotBe) {
  EXPECT_THROW(parse_counts("", "counts"), Error);
  EXPECT_THROW(parse_counts(counts(value(3, 100, 400), value(7, 400, 400)), "counts"), Error);
  EXPECT_THROW(parse_counts(counts(value(-3, 100, 100), value(7, 400, 400)), "counts"), Error);
  EXPECT_THROW(parse_counts(R"({"format": "assay-counts/2", "events": []})", "counts"), Error);
}

struct LeftByPerf {
  LeftByPerf() {
    companion.tool.name = perf_name;
    companion.runs.resize(1);
    companion.runs[0].raw = {"raw/0001/counts.json"};
  }
  std::vector<record::Counter> counters(const std::string& text) {
    put(folder.path() / "raw/0001/counts.json", text);
    return counters_of(companion, companion.runs[0], folder.path());
  }
  record::TemporaryDirectory folder;
  record::Companion companion = record::some_companion();
};

TEST(Perf, ValuesAreThoseThatTheProgramWrote) {
  LeftByPerf left;
  const auto counters = left.counters(counts(value(300, 400, 100), value(7, 400, 400)));
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(counters[0].metric, "Ir");
  EXPECT_EQ(*counters[0].value, 1200);
  EXPECT_EQ(counters[0].counted_frac, 0.25);
}

TEST(Perf, AFileOfOtherEventsIsNotReadAsTheseOnes) {
  LeftByPerf left;
  EXPECT_EQ(
      left.counters(R"({"format": "assay-counts/1", "events": []})")[0].value.missing().reason,
      "unreadable");
  EXPECT_EQ(left.counters("{")[1].value.missing().reason, "unreadable");
  left.companion.runs[0].end = record::ProcessEnd{true, 11};
  EXPECT_EQ(left.counters("{")[0].value.missing().reason, "program-failed");
}

TEST(Perf, CountsInTheProgramWhatIsNotTheKernels) {
  const auto tool = open_tool(perf_name, {"", "cpu", {}});
  const auto words = tool->command({"/x/program", "--once"}, "/tmp/raw");
  EXPECT_THAT(words, testing::Contains("0:0:0:0:u"));   // cycles
  EXPECT_THAT(words, testing::Contains("1:2:0:0:uk"));  // page faults
  EXPECT_EQ(words[2], "--counts");
  EXPECT_EQ(words.size(), 4 + 2 * tool->metrics().size());
}

TEST(Perf, RefusesDevicesThatAreNoProcessor) {
  EXPECT_THROW(open_tool(perf_name, {"", "cuda:1", {}}), Error);
  EXPECT_THROW(open_tool(perf_name, {"/usr/bin/perf", "cpu", {}}), Error);
  EXPECT_THROW(open_tool("callgrind", {"", "cpu", {"INSTRUCTIONS"}}), Error);
}

#if defined(ASSAY_HAS_PFM)
TEST(EventOfName, GivesTheKernelsNumbers) {
  EXPECT_EQ(event_of_name("perf::PAGE-FAULTS").event.text(), "1:2:0:0:uk");
  EXPECT_EQ(event_of_name("perf::PAGE-FAULTS:u").event.text(), "1:2:0:0:u");
  EXPECT_EQ(event_of_name("perf::INSTRUCTIONS").event.text(), "0:1:0:0:u");
  EXPECT_EQ(event_of_name("perf::INSTRUCTIONS:u:k").event.text(), "0:1:0:0:uk");
  EXPECT_EQ(event_of_name("perf::TASK-CLOCK").unit, "ns");
}

TEST(EventOfName, RefusesANameThatThereIsNot) {
  try {
    event_of_name("perf::STEAM");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("perf::STEAM"));
  }
  EXPECT_THROW(open_tool(perf_name, {"", "cpu", {"perf::CYCLES", "perf::CYCLES"}}), Error);
}
#endif

}  // namespace
}  // namespace assay::profile
