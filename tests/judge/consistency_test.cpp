// SPDX-License-Identifier: MIT
//
// What must agree between the files of a record although nothing is computed from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Consistency, NamesTheCellWhoseIterationsDiffer) {
  record::Record record;
  record.evidence = evidence_of({.cases = {"n=1", "n=2"}, .iterations = 10}, 2);
  for (std::int64_t trial = 1; trial <= 2; ++trial) {
    record::Trial row;
    row.trial = trial;
    row.process = 2 * trial;
    record.evidence.trials.push_back(row);
  }
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  record.evidence.calibration.cells[1].iterations = 12;
  EXPECT_THAT(consistency_differences(record),
              ElementsAre("samples.csv: sum/n=2/warm/call has samples of 10 iterations; "
                          "calibration.json says 12"));
}

// Two trials of one cell of commands, each run with its row in command-runs.csv.
record::Record record_of_commands() {
  record::Record record;
  record.evidence = evidence_of({.call_ns = 5e6, .iterations = 1, .blocks = 3}, 2);
  record.evidence.plan.commands = {{}, {}};
  const record::Dictionary& names = record.evidence.samples.names;
  for (const record::Sample& row : record.evidence.samples.rows) {
    record::CommandRun run;
    run.trial = row.trial;
    run.process = row.process;
    run.problem = names.name(row.problem);
    run.case_id = names.name(row.case_id);
    run.state = names.name(row.state);
    run.boundary = names.name(row.boundary);
    run.phase = row.phase;
    run.block = row.block;
    run.position = row.position;
    run.subject = names.name(row.subject);
    run.user_ns = 4'000'000;
    run.system_ns = 500'000;
    record.command_runs.push_back(run);
  }
  for (std::int64_t trial = 1; trial <= 2; ++trial) {
    record::Trial row;
    row.trial = trial;
    row.process = 2 * trial;
    row.cores_allowed = 2;
    record.evidence.trials.push_back(row);
  }
  return record;
}

std::vector<std::string> differences_after(const std::function<void(record::Record&)>& change) {
  record::Record record = record_of_commands();
  change(record);
  return consistency_differences(record);
}

TEST(CommandRuns, OfAnHonestRecordAgree) {
  EXPECT_THAT(differences_after([](record::Record&) {}), IsEmpty());
}

TEST(CommandRuns, AreMissedOneByOneAndCounted) {
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs.pop_back(); }),
              ElementsAre(StartsWith("command-runs.csv: no row for control at place 2 of block 2 "
                                     "(measure) of sum/n=1024/warm/call, in trial 2, process 4")));
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs.clear(); }),
              ElementsAre(HasSubstr("which samples.csv has, and 17 more rows alike")));
}

TEST(CommandRuns, WithoutASampleAreNamed) {
  EXPECT_THAT(differences_after([](record::Record& r) {
                r.command_runs.push_back(r.command_runs.back());
                r.command_runs.back().block = 3;
              }),
              ElementsAre(HasSubstr("a row for control at place 2 of block 3")));
  EXPECT_THAT(
      differences_after([](record::Record& r) { r.command_runs.push_back(r.command_runs.back()); }),
      ElementsAre(HasSubstr("which samples.csv does not have")));
}

TEST(CommandRuns, OfAnotherSubjectAreNamed) {
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs[0].subject = "after"; }),
              ElementsAre(HasSubstr("; samples.csv has before there")));
}

TEST(CommandRuns, OutOfOrderAreNamed) {
  EXPECT_THAT(
      differences_after([](record::Record& r) { std::swap(r.command_runs[0], r.command_runs[1]); }),
      ElementsAre(HasSubstr("not in the order of samples.csv: before at place 0")));
}

TEST(CommandRuns, CannotHaveMoreProcessorTimeThanTheirInterval) {
  // Two cores and two ticks: about 30 ms.
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs[4].user_ns = 25'000'000; }),
              IsEmpty());
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs[4].user_ns = 35'000'000; }),
              ElementsAre(HasSubstr("was charged 35500000 ns of processor time")));
  EXPECT_THAT(
      differences_after([](record::Record& r) { r.command_runs[4].system_ns = 35'000'000; }),
      ElementsAre(HasSubstr("on 2 cores")));
}

TEST(CommandRuns, OfAParentThatWasKilledMayLackTheLast) {
  EXPECT_THAT(differences_after([](record::Record& r) {
                r.command_runs.pop_back();
                r.evidence.trials.back().process = 5;  // whoever resumed
              }),
              IsEmpty());
}

TEST(CommandRuns, StandInNoRecordOfAProgram) {
  EXPECT_THAT(differences_after([](record::Record& r) { r.evidence.plan.commands.clear(); }),
              ElementsAre(HasSubstr("runs of commands, though the plan has none")));
}

}  // namespace
}  // namespace assay::judge
