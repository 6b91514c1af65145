// SPDX-License-Identifier: MIT
//
// A companion against its own commands and against the record that it is about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "assay/profile/counter_runs.hpp"
#include "assay/profile/profile.hpp"
#include "assay/profile/tool.hpp"
#include "companions.hpp"
#include "plans.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

using record::CompanionRecord;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

record::Record timed() {
  record::Record record;
  record.path = "/x/timed";
  record.plan_sha256 = std::string(64, 'b');
  record.evidence.plan = some_plan();
  return record;
}

// The rows that its raw files say, with their reasons in the runs.
void count_anew(CompanionRecord& record) {
  record.counters.clear();
  for (record::CounterRun& run : record.companion.runs) {
    for (auto& counter : counters_of(record.companion, run, record.path / "data")) {
      record.counters.push_back(std::move(counter));
    }
  }
}

// Of every unit of the plan, under a tool that came to no end.
CompanionRecord companion() {
  CompanionRecord record;
  record.path = "/x/timed-profile";
  record.companion = record::some_companion();
  record.companion.programs[0].timed_sha256 = some_plan().program_digests[0];
  record.companion.runs.clear();
  std::int64_t number = 0;
  for (const Unit& unit : units_of(some_plan(), {}, {})) {
    record::CounterRun run = run_of(unit, ++number, 10);
    run.command = {record.companion.tool.path, "--tool=callgrind"};
    for (const auto& word : once_words(record.companion, run)) run.command.push_back(word);
    run.end = Missing{"timed-out", "it did not end"};
    record.companion.runs.push_back(std::move(run));
  }
  count_anew(record);
  return record;
}

std::vector<std::string> differences_after(const std::function<void(CompanionRecord&)>& change) {
  CompanionRecord record = companion();
  change(record);
  count_anew(record);
  auto all = recomputation_differences(record);
  for (auto& each : timed_record_differences(record, timed())) all.push_back(std::move(each));
  return all;
}

TEST(VerifyCompanion, FindsNothingInOneThatIsWell) {
  ASSERT_EQ(companion().companion.runs.size(), 12U);
  EXPECT_THAT(differences_after([](CompanionRecord&) {}), IsEmpty());
}

// Counters go with them, so that only what was started tells.
TEST(VerifyCompanion, FindsSwappedSubjectsAndAnotherNumberOfCalls) {
  EXPECT_THAT(differences_after([](CompanionRecord& record) {
                auto& runs = record.companion.runs;
                std::swap(runs[0].subject, runs[1].subject);
                std::swap(runs[0].is_baseline, runs[1].is_baseline);
              }),
              ElementsAre(HasSubstr("the command of run 1"), HasSubstr("the command of run 2")));
  EXPECT_THAT(
      differences_after([](CompanionRecord& record) { record.companion.runs[2].calls = 1; }),
      ElementsAre(HasSubstr("the command of run 3")));
  EXPECT_THAT(differences_after([](CompanionRecord& record) {
                record.companion.runs[2].command.front() = "/bin/true";
              }),
              ElementsAre(HasSubstr("does not start the tool")));
}

TEST(VerifyCompanion, FindsARunThatEndedAndWasNeverStarted) {
  CompanionRecord record = companion();
  record.companion.runs[0].command.clear();
  EXPECT_THAT(recomputation_differences(record), IsEmpty());
  record.companion.runs[0].end = record::ProcessEnd{true, 9};
  count_anew(record);
  EXPECT_THAT(recomputation_differences(record), ElementsAre(HasSubstr("has no command")));
}

TEST(VerifyCompanion, FindsWhatTheTimedRecordDoesNotHave) {
  const auto rename = [](record::CounterRun& run, const std::string& subject) {
    std::replace(run.command.begin(), run.command.end(), run.problem + "/" + run.subject,
                 run.problem + "/" + subject);
    run.subject = subject;
  };
  EXPECT_THAT(differences_after(
                  [&](CompanionRecord& record) { rename(record.companion.runs[1], "nobody"); }),
              ElementsAre(HasSubstr("nobody, which the timed record does not have")));
  EXPECT_THAT(differences_after([](CompanionRecord& record) {
                record.companion.runs[0].is_baseline = false;
                record.companion.runs[1].is_baseline = true;
              }),
              ElementsAre(HasSubstr("not called the baseline"), HasSubstr("called the baseline")));
  EXPECT_THAT(differences_after(
                  [](CompanionRecord& record) { record.companion.runs[0].own_state = "dust"; }),
              ElementsAre(HasSubstr("'dust' as its subject's own state")));
}

TEST(VerifyCompanion, FindsAnotherNamePlanDeviceOrProgram) {
  const auto of = [](const std::function<void(record::Companion&)>& change) {
    CompanionRecord record = companion();
    change(record.companion);
    return timed_record_differences(record, timed());
  };
  EXPECT_THAT(of([](record::Companion& told) { told.of.name = "other"; }),
              ElementsAre(HasSubstr("names the record 'other'")));
  EXPECT_THAT(of([](record::Companion& told) { told.of.plan_sha256 = "0"; }),
              ElementsAre(HasSubstr("names the plan")));
  EXPECT_THAT(of([](record::Companion& told) { told.device = "cuda"; }),
              ElementsAre(HasSubstr("names the device 'cuda'")));
  EXPECT_THAT(of([](record::Companion& told) { told.programs[0].timed_sha256 = "0"; }),
              ElementsAre(HasSubstr("the program of the build 'program'")));
  EXPECT_THAT(of([](record::Companion& told) { told.programs.clear(); }),
              ElementsAre(HasSubstr("the builds")));
}

// callgrind writes the command into its file.
TEST(VerifyCompanion, FindsAFileOfAnotherCommand) {
  const record::TemporaryDirectory folder;
  CompanionRecord record = companion();
  record.path = folder.path();
  record::CounterRun& run = record.companion.runs[0];
  run.end = record::ProcessEnd{false, 0};
  run.raw = {"raw/0001/callgrind.out-01"};
  const auto write = [&](const std::string& command) {
    record::put(folder / "data" / run.raw[0],
                "version: 1\ncmd: " + command + "\nevents: Ir\nsummary: 100\n");
    count_anew(record);
  };
  std::string command;
  for (const auto& word : once_words(record.companion, run)) {
    command += (command.empty() ? "" : " ") + word;
  }
  write(command);
  EXPECT_THAT(recomputation_differences(record), IsEmpty());
  write("/x/program --once sum/fast n=64 --device cpu --state warm --calls 10");
  EXPECT_THAT(recomputation_differences(record),
              ElementsAre(HasSubstr("callgrind.out-01 is of another command than run 1")));
}

}  // namespace
}  // namespace assay::profile
