// SPDX-License-Identifier: MIT
//
// Which samples enter, and what is said of those that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::failure_of;
using judge_test::Synthetic;
using stats::Verdict;

const std::string kCell = "sum/n=1024/warm/call";

bool mentions(const std::vector<std::string>& sentences, const std::string& text) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
    return sentence.find(text) != std::string::npos;
  });
}

TEST(Evidence, CalibrationAndWarmUpAreNeverAnalysed) {
  const Synthetic s{.ratio = {{"after", 0.5}}};
  record::Evidence evidence = evidence_of(s, 8);
  const Json before = to_json(judge(evidence, Ending::complete)).at("comparisons");
  const auto rows = evidence.samples.rows;
  for (record::Sample row : rows) {
    if (row.trial != 1) continue;
    row.interval_ns *= 1000;
    row.phase = record::Phase::warm_up;
    evidence.samples.rows.push_back(row);
    row.phase = record::Phase::measure;
    row.trial = 0;
    evidence.samples.rows.push_back(row);
  }
  const Result after = judge(evidence, Ending::complete);
  EXPECT_EQ(to_json(after).at("comparisons"), before);
  EXPECT_TRUE(mentions(after.left_out, "18 samples of calibration and warm-up"));
  evidence.plan.left_out.push_back({"sum/n=64/rotate/call", "it would need 196609 copies"});
  EXPECT_TRUE(mentions(judge(evidence, Ending::complete).left_out,
                       "sum/n=64/rotate/call: not measured: it would need 196609 copies"));
}

TEST(Evidence, ATrialThatWasCutOffDoesNotCount) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  evidence.samples.rows.pop_back();
  const Result result = judge(evidence, Ending::budget_spent);
  EXPECT_EQ(result.comparisons[0].trials, 7);
  EXPECT_EQ(result.comparisons[0].look, 0);
  EXPECT_TRUE(mentions(result.left_out, kCell + ": trial 8, process 16: cut off after 8 samples"));
}

TEST(Evidence, ASecondProcessThatRedoesATrialTakesNoPart) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  const Json before = to_json(judge(evidence, Ending::complete)).at("comparisons");
  const auto rows = evidence.samples.rows;
  for (record::Sample row : rows) {
    if (row.trial != 5) continue;
    row.process = 99;
    row.interval_ns *= 2;
    evidence.samples.rows.push_back(row);
  }
  const Result after = judge(evidence, Ending::complete);
  EXPECT_EQ(to_json(after).at("comparisons"), before);
  EXPECT_TRUE(mentions(after.left_out, "trial 5, process 99"));
}

TEST(Evidence, ASecondProcessCountsWhereTheFirstWasCutOff) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  auto& rows = evidence.samples.rows;
  const std::vector<record::Sample> whole(rows.end() - 9, rows.end());
  rows.resize(rows.size() - 4);
  for (record::Sample row : whole) {
    row.process = 99;
    rows.push_back(row);
  }
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].trials, 8);
  EXPECT_TRUE(mentions(result.left_out, "trial 8, process 16: cut off"));
}

TEST(Evidence, HalvesOfTwoProcessesDoNotMakeOneTrial) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  for (record::Sample& row : evidence.samples.rows) {
    if (row.trial == 8 && row.block > 0) row.process = 99;
  }
  EXPECT_EQ(judge(evidence, Ending::budget_spent).comparisons[0].trials, 7);
}

// Each sample in a process of its own, as at the boundary cold-start.
record::Evidence cold_evidence(std::uint32_t trials) {
  Synthetic s{.ratio = {{"after", 0.5}}};
  s.blocks = 1;
  s.iterations = 1;
  record::Evidence evidence = evidence_of(s, trials);
  record::Dictionary& names = evidence.samples.names;
  for (std::size_t i = 0; i < evidence.plan.cells.size(); ++i) {
    evidence.plan.cells[i].state = "fresh";
    evidence.plan.cells[i].boundary = "cold-start";
    evidence.calibration.cells[i].cell = evidence.plan.cells[i].id();
  }
  std::uint32_t process = 0;
  for (record::Sample& row : evidence.samples.rows) {
    row.state = names.index_of("fresh");
    row.boundary = names.index_of("cold-start");
    row.process = process++;
  }
  return evidence;
}

TEST(Evidence, FirstCallsOfATrialArePairedAcrossTheirProcesses) {
  const Result result = judge(cold_evidence(8), Ending::complete);
  EXPECT_EQ(result.comparisons[0].trials, 8);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::faster);
  EXPECT_FALSE(result.cells[0].advice.has_value());
  EXPECT_FALSE(mentions(result.left_out, "an earlier process")) << result.left_out.front();
}

TEST(Evidence, OfAFirstCallThatWasMadeTwiceInATrialTheEarlierCounts) {
  record::Evidence evidence = cold_evidence(8);
  const Json before = to_json(judge(evidence, Ending::complete)).at("comparisons");
  record::Sample again = evidence.samples.rows.back();
  again.process = 99;
  again.interval_ns *= 3;
  evidence.samples.rows.push_back(again);
  const Result after = judge(evidence, Ending::complete);
  EXPECT_EQ(to_json(after).at("comparisons"), before);
  EXPECT_TRUE(mentions(after.left_out, "trial 8, process 99"));
}

TEST(Evidence, AFirstCallThatIsMissingTakesItsPairOut) {
  record::Evidence evidence = cold_evidence(8);
  auto& rows = evidence.samples.rows;
  const auto control = evidence.samples.names.find("control");
  rows.erase(std::find_if(rows.begin(), rows.end(), [&](const record::Sample& row) {
    return row.trial == 8 && row.subject == *control;
  }));
  EXPECT_EQ(judge(evidence, Ending::budget_spent).comparisons[0].trials, 7);
}

TEST(Evidence, ATimeThatCannotBeTakesItsSubjectsTrialOutAndIsListed) {
  for (const double time :
       {std::nan(""), HUGE_VAL, -HUGE_VAL, -1.0, 0.0, std::numeric_limits<double>::denorm_min(),
        std::numeric_limits<double>::max()}) {
    const Synthetic s{.subjects = {"before", "a", "b"}, .ratio = {{"a", 0.5}, {"b", 0.5}}};
    record::Evidence evidence = evidence_of(s, 8);
    auto& rows = evidence.samples.rows;
    std::find_if(rows.begin(), rows.end(), [&](const record::Sample& row) {
      return row.trial == 5 && row.block == 1 && evidence.samples.names.name(row.subject) == "a";
    })->interval_ns = time;
    const Result result = judge(evidence, Ending::budget_spent);
    EXPECT_EQ(result.comparisons[0].trials, 7) << time;
    EXPECT_EQ(result.comparisons[1].trials, 8) << time;
    EXPECT_TRUE(mentions(result.left_out, "trial 5, process 10: block 1 of a has an interval"))
        << time;
  }
}

TEST(Evidence, OneSampleIsSomethingSeenAndNothingMore) {
  const Result result = judge(evidence_of({.blocks = 1}, 1), Ending::budget_spent);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(result.comparisons[0].reason, "1 trial counts and the first look needs 8 trials");
  EXPECT_TRUE(result.comparisons[0].ratio.has_value());
  EXPECT_EQ(result.comparisons[0].ratio_interval.missing().reason, "no-look");
  const SubjectResult& before = result.cells[0].subjects[0];
  EXPECT_TRUE(before.median_ns && before.min_ns);
  EXPECT_EQ(before.interval_ns.missing().reason, "too-few-trials");
  EXPECT_EQ(before.p95_ns.missing().reason, "too-few-values");
}

// Samples that never spread within a trial may sit in phase with the timer's steps.
TEST(Evidence, OneSampleATrialHasAnIntervalNoNarrowerThanTheTimersStep) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}, .blocks = 1}, 8);
  const double sample_ns = evidence.samples.rows[0].interval_ns;
  evidence.calibration.cells[0].timer_resolution_ns = sample_ns / 10;
  const ComparisonResult result = judge(evidence, Ending::complete).comparisons[0];
  EXPECT_EQ(result.verdict, Verdict::faster);
  EXPECT_GT(result.ratio_interval->high / *result.ratio, 1.1);
}

TEST(Evidence, EqualSamplesAreEquivalentWithinTheTimersStepAndUndecidedWithoutOne) {
  record::Evidence evidence = evidence_of({.sd_trial = 0, .sd_sample = 0}, 16);
  const ComparisonResult known = judge(evidence, Ending::complete).comparisons[0];
  EXPECT_EQ(known.verdict, Verdict::equivalent);
  EXPECT_LT(known.ratio_interval->low, 1);
  EXPECT_GT(known.ratio_interval->high, 1);
  evidence.calibration.cells[0].timer_resolution_ns = Missing{"one-value", ""};
  const Result unknown = judge(evidence, Ending::complete);
  EXPECT_EQ(unknown.comparisons[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(unknown.comparisons[0].ratio_interval.missing().reason, "no-spread");
  EXPECT_NE(unknown.comparisons[0].reason.find("step is unknown"), std::string::npos);
  EXPECT_FALSE(unknown.cells[0].control.voids);
}

TEST(Evidence, TimesQuantisedToOneValueDecideNothingWithinTheirStep) {
  record::Evidence evidence = evidence_of({.sd_trial = 0.001}, 16);
  constexpr double step_ns = 30'000;  // 3 % of a sample, at a margin of 1 %
  evidence.calibration.cells[0].timer_resolution_ns = step_ns;
  for (record::Sample& row : evidence.samples.rows) {
    row.interval_ns = std::round(row.interval_ns / step_ns) * step_ns;
  }
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::inconclusive);
  EXPECT_NEAR(result.comparisons[0].ratio_interval->high, std::exp(0.03), 0.001);
  EXPECT_EQ(result.comparisons[0].trials_needed.missing().reason, "below-resolution");
  EXPECT_FALSE(result.cells[0].control.voids);
}

TEST(Evidence, ASubjectThatLosesABlockDoesNotTakeTheOthersAlong) {
  const Synthetic s{.subjects = {"before", "a", "b"}, .ratio = {{"a", 0.5}, {"b", 0.5}}};
  record::Evidence evidence = evidence_of(s, 8);
  auto& rows = evidence.samples.rows;
  rows.erase(std::find_if(rows.begin(), rows.end(), [&](const record::Sample& row) {
    return row.trial == 2 && row.block == 1 && evidence.samples.names.name(row.subject) == "b";
  }));
  const Result result = judge(evidence, Ending::budget_spent);
  EXPECT_EQ(result.comparisons[0].trials, 8);
  EXPECT_EQ(result.comparisons[1].trials, 7);
}

TEST(Evidence, SamplesOfWhatThePlanLacksAreListed) {
  record::Evidence evidence = evidence_of({}, 8);
  record::Sample row = evidence.samples.rows[0];
  row.subject = evidence.samples.names.index_of("stranger");
  evidence.samples.rows.push_back(row);
  row.case_id = evidence.samples.names.index_of("n=7");
  evidence.samples.rows.push_back(row);
  const Result result = judge(evidence, Ending::complete);
  EXPECT_TRUE(mentions(result.left_out, "1 sample of subject stranger"));
  EXPECT_TRUE(mentions(result.left_out, "1 sample of sum/n=7/warm/call"));
}

TEST(Evidence, TheOrderOfCellsAndProcessesDoesNotMatter) {
  const Synthetic s{.cases = {"n=1024", "n=4096", "n=9"}, .ratio = {{"after", 0.98}}};
  record::Evidence evidence = evidence_of(s, 16);
  const Json before = to_json(judge(evidence, Ending::complete));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    // Rows of one cell in one trial keep their order; everything else is shuffled.
    auto& rows = evidence.samples.rows;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<record::Sample>> groups;
    for (const record::Sample& row : rows) groups[{row.trial, row.case_id}].push_back(row);
    std::vector<std::vector<record::Sample>> parts;
    for (auto& [key, part] : groups) parts.push_back(std::move(part));
    rows.clear();
    for (const std::size_t i : Random(seed).permutation(parts.size())) {
      rows.insert(rows.end(), parts[i].begin(), parts[i].end());
    }
    EXPECT_EQ(to_json(judge(evidence, Ending::complete)), before) << "seed " << seed;
  }
}

TEST(Evidence, ASubjectWithAWrongOutputIsInvalidAndShowsNoTime) {
  for (const std::string kind : {"before", "timed", "adversarial"}) {
    record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
    evidence.checks.results = {check_of(kind, "before", true), check_of(kind, "after", false)};
    const Result result = judge(evidence, Ending::complete);
    EXPECT_EQ(result.comparisons[0].verdict, Verdict::invalid) << kind;
    EXPECT_NE(result.comparisons[0].reason.find("element 3 is 7"), std::string::npos);
    EXPECT_FALSE(result.comparisons[0].ratio.has_value());
    EXPECT_FALSE(result.comparisons[0].ratio_interval.has_value());
    const SubjectResult& after = result.cells[0].subjects[2];
    ASSERT_EQ(after.subject, "after");
    EXPECT_FALSE(after.valid);
    EXPECT_FALSE(after.median_ns || after.interval_ns || after.min_ns || after.p95_ns);
    EXPECT_FALSE(after.bytes_per_s || after.flop_per_s || after.ceiling_share_frac);
    EXPECT_TRUE(result.cells[0].subjects[0].median_ns.has_value());
  }
}

TEST(Evidence, ACheckThatDoesNotApplyInvalidatesNothing) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  evidence.checks.results = {check_of("adversarial", "after", false)};
  evidence.checks.results[0].applicable = false;
  EXPECT_EQ(judge(evidence, Ending::complete).comparisons[0].verdict, Verdict::faster);
}

TEST(Evidence, AnAdversarialFailureCountsForAllCasesAnOrdinaryOneForItsOwn) {
  const Synthetic s{.cases = {"n=1024", "n=4096"}, .ratio = {{"after", 0.5}}};
  record::Evidence evidence = evidence_of(s, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::invalid);
  EXPECT_EQ(result.comparisons[1].verdict, Verdict::faster);
  evidence.checks.results = {check_of("adversarial", "after", false)};
  result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[1].verdict, Verdict::invalid);
}

TEST(Evidence, AnInvalidBaselineLeavesNothingToCompare) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  evidence.checks.results = {check_of("before", "before", false)};
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::invalid);
  EXPECT_NE(result.comparisons[0].reason.find("the baseline before"), std::string::npos);
  EXPECT_FALSE(result.cells[0].subjects[0].valid);
  EXPECT_FALSE(result.cells[0].subjects[1].valid) << "the control is the baseline's code";
  EXPECT_EQ(result.cells[0].subjects[1].why_invalid.find("it is the baseline's code: "), 0U);
  EXPECT_EQ(result.comparisons[0].prediction, PredictionOutcome::undecided);
}

TEST(Evidence, WhatIsInvalidStaysInTheFamilyAndMakesNothingEasier) {
  const Synthetic s{
      .subjects = {"before", "bad", "good"}, .ratio = {{"good", 0.5}}, .predicted = false};
  record::Evidence evidence = evidence_of(s, 8);
  evidence.checks.results = {check_of("before", "bad", false)};
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::invalid);
  EXPECT_EQ(result.comparisons[1].verdict, Verdict::faster);
  EXPECT_DOUBLE_EQ(*result.comparisons[1].adjusted_p, 2 * *result.comparisons[1].repeated_p);
}

TEST(Evidence, ASubjectThatFailedIsInvalidInItsCell) {
  const Synthetic s{.cases = {"n=1024", "n=4096"}, .ratio = {{"after", 0.5}}};
  record::Evidence evidence = evidence_of(s, 8);
  evidence.checks.failures = {failure_of(experiment::failure::crashed, "after", kCell)};
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::invalid);
  EXPECT_EQ(result.comparisons[0].reason, "crashed: it went wrong");
  EXPECT_EQ(result.comparisons[1].verdict, Verdict::faster);
}

TEST(Evidence, AFailureOfOneBuildIsNoneOfTheOther) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}, .two_builds = true}, 8);
  evidence.checks.failures = {failure_of(experiment::failure::crashed, "after", kCell)};
  evidence.checks.failures[0].build = "baseline";
  EXPECT_EQ(judge(evidence, Ending::complete).comparisons[0].verdict, Verdict::faster);
  evidence.checks.failures[0].build = "candidate";
  EXPECT_EQ(judge(evidence, Ending::complete).comparisons[0].verdict, Verdict::invalid);
}

TEST(Evidence, TrialsAfterTheDecidingLookAreSaidToBeLeftOut) {
  const Synthetic s{.ratio = {{"after", 0.5}}};
  EXPECT_FALSE(mentions(judge(evidence_of(s, 8), Ending::complete).left_out, "after its look"));
  EXPECT_TRUE(mentions(judge(evidence_of(s, 12), Ending::complete).left_out,
                       kCell + ": 4 trials after its look at trial 8"));
}

TEST(Evidence, ARefusedCellSaysWhyAndHasNoTimes) {
  record::Evidence evidence = evidence_of({}, 0);
  evidence.calibration.cells[0].iterations =
      Missing{"too-short", "a call lasts less than ten steps of the timer"};
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::inconclusive);
  EXPECT_EQ(result.comparisons[0].reason,
            "not measured: a call lasts less than ten steps of the timer");
  EXPECT_EQ(result.cells[0].refused, "a call lasts less than ten steps of the timer");
  EXPECT_FALSE(result.cells[0].left);
  EXPECT_EQ(result.status, "nothing-measured");
}

TEST(Evidence, AMutantThatNoCaseCaughtMakesTheGateWeak) {
  record::Evidence evidence = evidence_of({}, 8);
  for (const char* mutant : {"zeros", "one-wrong-element"}) {
    for (const bool passed : {false, std::string(mutant) == "zeros"}) {
      evidence.checks.results.push_back(check_of("gate-power", mutant, passed));
    }
  }
  experiment::CheckResult none = check_of("gate-power", "copied-input", false);
  none.applicable = false;
  evidence.checks.results.push_back(none);
  const Result result = judge(evidence, Ending::complete);
  EXPECT_TRUE(result.gate.applicable);
  EXPECT_EQ(result.gate.missed, std::vector<std::string>{"one-wrong-element"});
  EXPECT_EQ(result.findings[0].slug, "gate.weak");
  EXPECT_EQ(result.comparisons[0].verdict, Verdict::equivalent) << "a mutant is no subject";
}

}  // namespace
}  // namespace assay::judge
