// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::failure_of;
using judge_test::Synthetic;

int status_of(const record::Evidence& evidence, Ending ending = Ending::complete) {
  return judge(evidence, ending).exit_status;
}

TEST(ExitStatus, ZeroWhenNothingIsSlower) {
  EXPECT_EQ(status_of(evidence_of({.ratio = {{"after", 0.5}}}, 8)), 0);
  EXPECT_EQ(status_of(evidence_of({}, 16)), 0);
}

TEST(ExitStatus, TenWhenSomethingIsSlower) {
  EXPECT_EQ(status_of(evidence_of({.ratio = {{"after", 2}}}, 8)), 10);
}

TEST(ExitStatus, ElevenWhenSomethingIsUndecided) {
  EXPECT_EQ(status_of(evidence_of({.ratio = {{"after", 2}}}, 7), Ending::budget_spent), 11);
}

TEST(ExitStatus, TwelveBeforeTenWhenCorrectnessFailed) {
  const Synthetic s{.subjects = {"before", "a", "b"}, .ratio = {{"a", 2}, {"b", 2}}};
  record::Evidence evidence = evidence_of(s, 8);
  EXPECT_EQ(status_of(evidence), 10);
  evidence.checks.results = {check_of("before", "b", false)};
  EXPECT_EQ(status_of(evidence), 12);
}

TEST(ExitStatus, TwelveWhenNothingWasTimedBecauseAllWasWrong) {
  record::Evidence evidence = evidence_of({}, 0);
  evidence.checks.results = {check_of("before", "before", false),
                             check_of("before", "after", false)};
  EXPECT_EQ(status_of(evidence), 12);
}

TEST(ExitStatus, FiveNotTwelveWhereADeviceDidNotTakeTheCode) {
  record::Evidence evidence = evidence_of({}, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  evidence.checks.results[0].detail = {{"failure", "code-refused"}};
  evidence.checks.results[0].reason = "the driver does not take the code";
  EXPECT_EQ(status_of(evidence), 5);
  const Result result = judge(evidence, Ending::complete);
  for (const SubjectResult& subject : result.cells[0].subjects) {
    EXPECT_EQ(subject.why_invalid,
              subject.subject == "after"
                  ? "code-refused in the check before timing: the driver does not take the code"
                  : "");
  }
}

TEST(ExitStatus, ThirteenWhenTheControlVoids) {
  EXPECT_EQ(status_of(evidence_of({.ratio = {{"after", 0.5}}, .control_ratio = 1.05}, 8)), 13);
}

TEST(ExitStatus, TenBeforeThirteen) {
  Synthetic s{.cases = {"n=1", "n=2"}, .ratio = {{"after", 2}}};
  record::Evidence evidence = evidence_of(s, 8);
  for (record::Sample& row : evidence.samples.rows) {
    if (evidence.samples.names.name(row.subject) == "control" &&
        evidence.samples.names.name(row.case_id) == "n=1") {
      row.interval_ns *= 1.05;
    }
  }
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, stats::Verdict::void_);
  EXPECT_EQ(result.comparisons[1].verdict, stats::Verdict::slower);
  EXPECT_EQ(result.exit_status, 10);
}

TEST(ExitStatus, ThreeWhenNothingWasMeasured) {
  record::Evidence evidence = evidence_of({}, 0);
  EXPECT_EQ(status_of(evidence), 3);
  EXPECT_EQ(judge(evidence, Ending::complete).status, "nothing-measured");
}

TEST(ExitStatus, FiveWhenAWorkerFailurePreventedAVerdict) {
  record::Evidence evidence = evidence_of({}, 0);
  evidence.checks.failures = {failure_of(experiment::failure::not_a_program, "", "")};
  EXPECT_EQ(status_of(evidence), 5);
  evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  evidence.checks.failures = {
      failure_of(experiment::failure::crashed, "after", "sum/n=1024/warm/call")};
  EXPECT_EQ(status_of(evidence), 5);
}

TEST(ExitStatus, AFailureThatCostATrialAndNoVerdictIsNotAnError) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 9);
  evidence.checks.failures = {failure_of(experiment::failure::crashed, "", "sum/n=1024/warm/call")};
  EXPECT_EQ(status_of(evidence), 0);
}

record::Trial trial_of(std::int64_t number, const std::string& outcome) {
  record::Trial row;
  row.trial = number;
  row.process = number;
  row.outcome = outcome;
  return row;
}

experiment::Failure failure_of_no_cell(const std::string& stage) {
  experiment::Failure failure = failure_of(experiment::failure::not_a_program, "", "");
  failure.stage = stage;
  return failure;
}

// Seven trials, so that no look is reached, and the budget spent.
record::Evidence evidence_short_of_a_look() {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 2}}}, 7);
  for (int trial = 1; trial <= 7; ++trial) evidence.trials.push_back(trial_of(trial, "completed"));
  return evidence;
}

TEST(ExitStatus, AStartThatFailedOnceAndWasOvercomeIsOnlyANote) {
  record::Evidence evidence = evidence_short_of_a_look();
  evidence.checks.failures = {failure_of_no_cell("describe")};  // in trial 3
  const Result result = judge(evidence, Ending::budget_spent);
  EXPECT_EQ(result.exit_status, 11);
  const auto note = std::find_if(
      result.findings.begin(), result.findings.end(),
      [](const Finding& finding) { return finding.slug == "failure.not-an-assay-program"; });
  ASSERT_NE(note, result.findings.end());
  EXPECT_EQ(note->text, "it went wrong; the measurement went on, and no sample was lost");
}

TEST(ExitStatus, FiveWhenNoWorkerCouldBeStartedAnyMore) {
  record::Evidence evidence = evidence_short_of_a_look();
  evidence.checks.failures = {failure_of_no_cell("describe")};
  evidence.trials.resize(2);  // trial 3 has begun only by the failure
  EXPECT_EQ(status_of(evidence, Ending::complete), 5);
  // A worker of another build that was given up with it says nothing else.
  evidence.trials.push_back(trial_of(3, experiment::failure::not_a_program));
  EXPECT_EQ(status_of(evidence, Ending::complete), 5);
  // Nor does an attempt that was interrupted before.
  evidence.trials.push_back(trial_of(3, "interrupted"));
  EXPECT_EQ(status_of(evidence, Ending::complete), 5);
}

TEST(ExitStatus, FailuresInCanariesAndAtTheEndOfAWorkerPreventNothing) {
  for (const char* stage : {"canary", "end"}) {
    record::Evidence evidence = evidence_short_of_a_look();
    evidence.checks.failures = {failure_of_no_cell(stage)};
    evidence.trials.resize(2);
    EXPECT_EQ(status_of(evidence, Ending::budget_spent), 11) << stage;
  }
}

TEST(ExitStatus, InterruptedComesFirst) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 2}}}, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  EXPECT_EQ(status_of(evidence, Ending::interrupted), 130);
  EXPECT_EQ(judge(evidence, Ending::interrupted).status, "interrupted");
}

TEST(ExitStatus, AQuickLookIsZeroAndGivesNoVerdict) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 2}}}, 8);
  evidence.plan.quick = true;
  const Result result = judge(evidence, Ending::budget_spent);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.status, "quick");
  EXPECT_EQ(result.comparisons[0].verdict, stats::Verdict::inconclusive);
  EXPECT_EQ(result.comparisons[0].reason, "a quick look gives no verdict");
  EXPECT_TRUE(result.claims.empty());
}

TEST(ExitStatus, AQuickLookAtAWrongSubjectIsTwelve) {
  record::Evidence evidence = evidence_of({}, 8);
  evidence.plan.quick = true;
  evidence.checks.results = {check_of("before", "after", false)};
  EXPECT_EQ(status_of(evidence), 12);
}

TEST(ExitStatus, OneSubjectIsZeroAtItsPrecisionAndElevenShortOfIt) {
  record::Evidence evidence = evidence_of({.subjects = {"only"}}, 8);
  evidence.plan.protocol.precision = 0.02;
  EXPECT_EQ(status_of(evidence), 0);
  evidence.plan.protocol.precision = 0.0001;
  EXPECT_EQ(status_of(evidence, Ending::budget_spent), 11);
}

}  // namespace
}  // namespace assay::judge
