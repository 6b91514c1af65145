// SPDX-License-Identifier: MIT
//
// Drift and steady state of a cell: what is said, and what stays as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using judge_test::Synthetic;
using stats::SteadyClass;
using stats::Verdict;

// 16 trials of 20 blocks: as many as the drift test needs, where neighbours are alike only a
// little.
Synthetic many_blocks() {
  return {.ratio = {{"after", 0.9}},
          .sd_trial = 0.0005,
          .sd_sample = 0.002,
          .blocks = 20,
          .looks = {16, 32}};
}

// Multiplies each time by a function of (trial − 1 + block ÷ blocks) ÷ trials.
void shape(record::Evidence& evidence, double trials, double blocks,
           const std::function<double(double run, double trial)>& factor) {
  for (record::Sample& row : evidence.samples.rows) {
    const double in_trial = row.block / blocks;
    row.interval_ns *= factor((row.trial - 1 + in_trial) / trials, in_trial);
  }
}

std::string steadiness_finding(const Result& result, const std::string& slug) {
  for (const Finding& one : result.findings) {
    if (one.slug == slug) return one.text;
  }
  return "";
}

TEST(Steadiness, AnOrdinaryCellHasNeither) {
  const Result result = judge(evidence_of(many_blocks(), 16), Ending::complete);
  const Steadiness& s = result.cells[0].steadiness;
  ASSERT_TRUE(s.drift) << s.drift.missing().detail;
  EXPECT_FALSE(s.has_drifted());
  EXPECT_EQ(s.drift->points, 320);
  ASSERT_EQ(s.subjects.size(), 2U);
  EXPECT_EQ(s.subjects[1].subject, "after");
  EXPECT_EQ(s.subjects[0].within_trials.missing().detail,
            "samples of a trial: needs 50 values, has 20");
  EXPECT_EQ(s.subjects[0].over_trials.missing().detail, "trials: needs 50 values, has 16");
  EXPECT_EQ(steadiness_finding(result, "time.drift"), "");
  EXPECT_EQ(steadiness_finding(result, "time.no-steady-state"), "");
  EXPECT_EQ(steadiness_finding(result, "trials.autocorrelated"), "");
}

TEST(Steadiness, ADriftIsAFindingAndLeavesTheVerdict) {
  for (const bool is_ramp : {false, true}) {
    record::Evidence evidence = evidence_of(many_blocks(), 16);
    shape(evidence, 16, 20, [&](double run, double) {
      return is_ramp ? 1 + 0.05 * run : run < 0.5 ? 1 : 1.05;
    });
    const Result result = judge(evidence, Ending::complete);
    ASSERT_TRUE(result.cells[0].steadiness.has_drifted()) << is_ramp;
    EXPECT_NEAR(result.cells[0].steadiness.drift->ratio, is_ramp ? 1.025 : 1.05, 0.002);
    const std::int64_t from = result.cells[0].steadiness.drift->from_trial;
    EXPECT_GE(from, is_ramp ? 7 : 9);
    EXPECT_LE(from, is_ramp ? 11 : 9);
    EXPECT_NE(steadiness_finding(result, "time.drift").find("(p < 0.01)"), std::string::npos);
    EXPECT_EQ(result.comparisons[0].verdict, Verdict::faster);
    EXPECT_EQ(result.exit_status, 0);
  }
}

TEST(Steadiness, TrialsAfterTheLookTakeNoPart) {
  record::Evidence evidence = evidence_of(many_blocks(), 40);
  shape(evidence, 40, 20, [](double run, double) { return run < 0.5 ? 1 : 1.5; });
  EXPECT_FALSE(judge(evidence, Ending::complete).cells[0].steadiness.has_drifted());
}

TEST(Steadiness, TooFewBlocksSayHowManyAreNeeded) {
  Synthetic s = many_blocks();
  s.looks = {8};
  const Result result = judge(evidence_of(s, 8), Ending::complete);
  EXPECT_EQ(result.cells[0].steadiness.drift.missing().detail,
            "blocks of the baseline: needs 200 values, has 160");
}

TEST(Steadiness, NothingIsClaimedOfOneSubjectsTimeThatDrifted) {
  Synthetic s = many_blocks();
  s.subjects = {"only"};
  record::Evidence evidence = evidence_of(s, 16);
  evidence.plan.protocol.precision = 0.02;
  EXPECT_EQ(judge(evidence, Ending::complete).exit_status, 0);
  shape(evidence, 16, 20, [](double run, double) { return 1 + 0.02 * run; });
  const Result result = judge(evidence, Ending::complete);
  EXPECT_TRUE(result.cells[0].precision->is_reached);
  EXPECT_EQ(result.exit_status, 11);
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_NE(result.claims[0].text.find("nothing is claimed about the time of only"),
            std::string::npos)
      << result.claims[0].text;
}

TEST(Steadiness, TrialsThatStillChangeForbidASteadyState) {
  Synthetic s = many_blocks();
  s.blocks = 60;
  record::Evidence evidence = evidence_of(s, 16);
  // From the second trial on, so that a majority and not the first trial decides.
  shape(evidence, 16, 60,
        [](double run, double in_trial) { return run > 0.0625 && in_trial >= 0.7 ? 1.05 : 1; });
  const Result result = judge(evidence, Ending::complete);
  const SteadyResult& own = result.cells[0].steadiness.subjects[0];
  ASSERT_TRUE(own.within_trials);
  EXPECT_EQ(*own.within_trials, SteadyClass::no_steady_state);
  EXPECT_EQ(own.unsettled_trials, 15);
  EXPECT_NE(steadiness_finding(result, "time.no-steady-state").find("before, after"),
            std::string::npos);
  EXPECT_NE(result.claims[0].text.find("faster by more than the margin"), std::string::npos);
  EXPECT_NE(result.claims[0].text.find("not for a steady state"), std::string::npos)
      << result.claims[0].text;
}

TEST(Steadiness, NoChangeIsSeenWithinAStepOfTheTimer) {
  Synthetic s = many_blocks();
  s.blocks = 60;
  record::Evidence evidence = evidence_of(s, 16);
  shape(evidence, 16, 60, [](double, double in_trial) { return in_trial >= 0.7 ? 1.05 : 1; });
  const auto classes = [&] {
    return *judge(evidence, Ending::complete).cells[0].steadiness.subjects[0].within_trials;
  };
  EXPECT_EQ(classes(), SteadyClass::no_steady_state);
  // A step of a tenth of a sample: the same samples might all be of one length.
  evidence.calibration.cells[0].timer_resolution_ns =
      0.1 * s.call_ns * static_cast<double>(s.iterations);
  EXPECT_EQ(classes(), SteadyClass::flat);
}

TEST(Steadiness, NoChangeIsSeenBelowHalfTheMargin) {
  Synthetic s = many_blocks();
  s.blocks = 60;
  s.sd_sample = 0.0005;
  record::Evidence evidence = evidence_of(s, 16);
  shape(evidence, 16, 60, [](double, double in_trial) { return in_trial >= 0.7 ? 1.004 : 1; });
  const auto classes = [&](double margin) {
    evidence.plan.protocol.margin = margin;
    return *judge(evidence, Ending::complete).cells[0].steadiness.subjects[0].within_trials;
  };
  // The timer's step is far below both.
  EXPECT_EQ(classes(0.01), SteadyClass::flat);
  EXPECT_EQ(classes(0.004), SteadyClass::no_steady_state);
}

TEST(Steadiness, AFewUnsettledTrialsAreCountedOnly) {
  Synthetic s = many_blocks();
  s.blocks = 60;
  record::Evidence evidence = evidence_of(s, 16);
  shape(evidence, 16, 60, [](double run, double in_trial) {
    return run < 0.25 && in_trial >= 0.7 ? 1.05 : in_trial < 0.3 ? 1.08 : 1;
  });
  const SteadyResult own = judge(evidence, Ending::complete).cells[0].steadiness.subjects[0];
  EXPECT_EQ(*own.within_trials, SteadyClass::warm_up);
  EXPECT_EQ(own.unsettled_trials, 4);
}

TEST(Steadiness, ASlowChangeOverTheRunIsOneOfItsTrials) {
  Synthetic s = many_blocks();
  s.ratio = {{"after", 1.01}};
  s.looks = {64};
  record::Evidence evidence = evidence_of(s, 64);
  shape(evidence, 64, 20, [](double run, double) { return run < 0.75 ? 1 : 1.05; });
  const SteadyResult own = judge(evidence, Ending::complete).cells[0].steadiness.subjects[1];
  ASSERT_TRUE(own.over_trials);
  EXPECT_EQ(*own.over_trials, SteadyClass::no_steady_state);
}

TEST(Steadiness, TrialsThatResembleTheirNeighboursAreAFinding) {
  Synthetic s = many_blocks();
  s.looks = {32};
  s.ratio = {};
  record::Evidence evidence = evidence_of(s, 32);
  for (record::Sample& row : evidence.samples.rows) {
    if (evidence.samples.names.name(row.subject) != "after") continue;
    row.interval_ns *= std::exp(0.004 * std::sin(0.4 * row.trial));
  }
  const Result result = judge(evidence, Ending::complete);
  EXPECT_NE(steadiness_finding(result, "trials.autocorrelated").find("after"), std::string::npos);
}

TEST(Steadiness, ReadsBackAndIsRecomputed) {
  record::Record record;
  record.evidence = evidence_of(many_blocks(), 16);
  record.result = to_json(judge(record.evidence, Ending::complete));
  const Result again = result_from_json(*record.result, "result.json");
  EXPECT_EQ(to_json(again), *record.result);
  EXPECT_TRUE(recomputation_differences(record).empty());
  (*record.result)["cells"][0]["drift"]["value"]["has_drifted"] = true;
  EXPECT_EQ(recomputation_differences(record).size(), 1U);
  (*record.result)["cells"][0]["steady_state"][0]["over_trials"] = {{"value", "splendid"}};
  EXPECT_THROW(result_from_json(*record.result, "result.json"), Error);
}

}  // namespace
}  // namespace assay::judge
