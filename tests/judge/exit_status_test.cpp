// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

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
