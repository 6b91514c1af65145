// SPDX-License-Identifier: MIT
//
// What must agree between the files of a record although nothing is computed from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "assay/judge/judge.hpp"
#include "consistent_record.hpp"

namespace assay::judge {
namespace {

using judge_test::add_processes;
using judge_test::evidence_of;
using judge_test::record_of_a_program;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Consistency, NamesTheCellWhoseIterationsDiffer) {
  record::Record record;
  record.evidence = evidence_of({.cases = {"n=1", "n=2"}, .iterations = 10}, 2);
  add_processes(record);
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
  add_processes(record);
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

TEST(CommandRuns, CannotHaveMoreMemoryThanTheMachine) {
  EXPECT_THAT(
      differences_after([](record::Record& r) { r.command_runs[4].max_rss_bytes = 3'000'000'000; }),
      IsEmpty());
  EXPECT_THAT(
      differences_after([](record::Record& r) { r.command_runs[4].max_rss_bytes = 5'000'000'000; }),
      ElementsAre(HasSubstr("had 5000000000 bytes of memory; environment.json has 4000000000")));
  EXPECT_THAT(differences_after([](record::Record& r) { r.command_runs[4].max_rss_bytes = 0; }),
              ElementsAre(HasSubstr("had no memory at all")));
  EXPECT_THAT(differences_after([](record::Record& r) {
                r.command_runs[4].max_rss_bytes = Missing{"forgotten", ""};
              }),
              ElementsAre(HasSubstr("for the reason 'forgotten'")));
}

TEST(CommandRuns, CannotHaveMoreFaultsAndSwitchesThanFitIntoTheirInterval) {
  // 5 ms on two cores and two ticks at 20 ns each: some 1.5 million.
  for (auto count :
       {&record::CommandRun::minor_faults, &record::CommandRun::major_faults,
        &record::CommandRun::voluntary_switches, &record::CommandRun::involuntary_switches}) {
    EXPECT_THAT(differences_after([&](record::Record& r) { r.command_runs[4].*count = 1'000'000; }),
                IsEmpty());
    EXPECT_THAT(differences_after([&](record::Record& r) { r.command_runs[4].*count = 2'000'000; }),
                ElementsAre(HasSubstr("are possible in an interval of")));
  }
}

TEST(CommandRuns, OfAProcessWithoutARowAreToldOfOnce) {
  EXPECT_THAT(differences_after([](record::Record& r) {
                r.command_runs.pop_back();
                r.evidence.trials.pop_back();
              }),
              ElementsAre("samples.csv: has samples of process 4 in trial 2, which has no row in "
                          "trials.csv"));
}

// What is told of a record of two trials whose last row of trials.csv was changed.
std::vector<std::string> differences_of(const std::function<void(record::Trial&)>& change) {
  record::Record record = record_of_a_program();
  change(record.evidence.trials.back());
  return consistency_differences(record);
}

TEST(Trials, OfAnHonestRecordAgree) {
  EXPECT_THAT(differences_of([](record::Trial&) {}), IsEmpty());
  EXPECT_THAT(differences_of([](record::Trial& row) {
                row.outcome = "parent-lost";
                row.started_utc.clear();
                row.core = row.cores_allowed = Missing{"parent-lost", ""};
              }),
              IsEmpty());
}

TEST(Trials, HaveEachProcessOnce) {
  record::Record record = record_of_a_program();
  record.evidence.trials.push_back(record.evidence.trials.back());
  EXPECT_THAT(consistency_differences(record),
              ElementsAre("trials.csv: process 4 has more than one row"));
}

TEST(Trials, AreOfTheBuildsBoundariesAndLayoutsOfThePlan) {
  EXPECT_THAT(differences_of([](record::Trial& row) { row.build = "another"; }),
              ElementsAre(HasSubstr("is of the build 'another', which the plan does not have"),
                          HasSubstr("samples of process 4 in trial 2 are of build 'program'")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.boundary = "device"; }),
              testing::Contains(HasSubstr("has the boundary 'device'")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.layout = 1; }),
              testing::Contains(HasSubstr("has layout 1; the plan has 0 alone")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.not_steady = "sum/n=7/warm/call"; }),
              ElementsAre(HasSubstr("names 'sum/n=7/warm/call', which is none of its cells")));
}

TEST(Trials, EndAsProcessesDo) {
  EXPECT_THAT(differences_of([](record::Trial& row) { row.outcome = "fine"; }),
              ElementsAre(HasSubstr("has the outcome 'fine', which there is none of")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.outcome = "crashed"; }),
              ElementsAre(HasSubstr("ended as 'crashed', and checks.json has no such failure")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.canary_missing = "lost"; }),
              ElementsAre(HasSubstr("for the reason 'lost'")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.canary_missing.clear(); }),
              ElementsAre(HasSubstr("has both runs of its canaries, and samples.csv does not")));
}

TEST(Trials, LieWithinTheRun) {
  EXPECT_THAT(differences_of([](record::Trial& row) { std::swap(row.start_ns, row.end_ns); }),
              testing::Contains(HasSubstr("ends at 0 ns, before it begins at 1000000000 ns")));
  for (const char* time : {"", "yesterday", "2026-13-01T00:00:00+00:00", "2026-11-29T21:45:00Z"}) {
    EXPECT_THAT(differences_of([&](record::Trial& row) { row.started_utc = time; }),
                ElementsAre(HasSubstr("which is no time of the form")));
  }
  EXPECT_THAT(
      differences_of([](record::Trial& row) { row.started_utc = "2026-11-29T21:44:04+00:00"; }),
      ElementsAre(HasSubstr("before the plan was sealed at 2026-11-29T21:44:05+00:00")));
}

TEST(Trials, AreAllowedCoresThatTheMachineHas) {
  EXPECT_THAT(differences_of([](record::Trial& row) { row.cores_allowed = 8; }), IsEmpty());
  EXPECT_THAT(differences_of([](record::Trial& row) { row.cores_allowed = 9; }),
              ElementsAre(HasSubstr("was allowed 9 cores; environment.json has 8 online")));
  EXPECT_THAT(differences_of([](record::Trial& row) { row.cores_allowed = 0; }),
              ElementsAre(HasSubstr("was allowed no core")));
}

std::vector<std::string> differences_of_sample(const std::function<void(record::Sample&)>& change) {
  record::Record record = record_of_a_program();
  change(record.evidence.samples.rows[5]);
  return consistency_differences(record);
}

TEST(Samples, StandInTheirPlaceOnce) {
  EXPECT_THAT(
      differences_of_sample([](record::Sample& row) { row.position = 1; }),
      ElementsAre("samples.csv: position 1 of block 1 (measure) of sum/n=1024/warm/call, in "
                  "trial 1, process 2: stands there twice or out of order"));
  EXPECT_THAT(differences_of_sample([](record::Sample& row) { row.position = 3; }),
              ElementsAre(HasSubstr("a block has 3 samples")));
}

TEST(Samples, AreTimedByTheTimerOfThePlan) {
  EXPECT_THAT(differences_of_sample([](record::Sample& row) { row.timer = row.subject; }),
              ElementsAre(HasSubstr("the plan has 'steady'")));
}

TEST(Samples, LieInTheTimeOfTheirProcess) {
  EXPECT_THAT(
      differences_of_sample([](record::Sample& row) { row.start_ns = 2'000'000'000; }),
      ElementsAre(HasSubstr("begins at 2000000000 ns; trials.csv has its process from 0 to")));
}

TEST(CommandRuns, StandInNoRecordOfAProgram) {
  EXPECT_THAT(differences_after([](record::Record& r) { r.evidence.plan.commands.clear(); }),
              ElementsAre(HasSubstr("runs of commands, though the plan has none")));
}

}  // namespace
}  // namespace assay::judge
