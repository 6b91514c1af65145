// SPDX-License-Identifier: MIT
//
// What stands beside the verdicts: ranks, scores, the mean over cells, advice, description.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/judge/judge.hpp"
#include "assay/stats/scores.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::Synthetic;

const Finding* finding(const Result& result, const std::string& slug) {
  for (const Finding& one : result.findings) {
    if (one.slug == slug) return &one;
  }
  return nullptr;
}

// Rows of trials.csv around the samples that there are: each trial takes 10 ms before its first
// sample and 10 ms after its last.
void add_trials(record::Evidence& evidence) {
  for (const record::Sample& row : evidence.samples.rows) {
    if (evidence.trials.empty() || evidence.trials.back().trial != row.trial) {
      record::Trial trial;
      trial.trial = row.trial;
      trial.process = row.process;
      trial.start_ns = row.start_ns - 10'000'000;
      evidence.trials.push_back(trial);
    }
    evidence.trials.back().end_ns =
        row.start_ns + static_cast<std::int64_t>(row.interval_ns) + 10'000'000;
  }
}

TEST(Sensitivity, AgreesWhereTrialsScatterEvenly) {
  const Result result = judge(evidence_of({.ratio = {{"after", 0.625}}}, 8), Ending::complete);
  ASSERT_TRUE(result.comparisons[0].sensitivity.has_value());
  const Sensitivity& s = *result.comparisons[0].sensitivity;
  EXPECT_NEAR(*s.ratio, 0.625, 0.005);
  EXPECT_LT(s.ratio_interval->low, 0.998 * *s.ratio);
  EXPECT_GT(s.ratio_interval->high, 1.002 * *s.ratio);
  EXPECT_DOUBLE_EQ(s.confidence_level, 0.975);
  EXPECT_DOUBLE_EQ(*s.wilcoxon_p, 2.0 / 256);
  EXPECT_EQ(s.verdict, stats::Verdict::faster);
  EXPECT_FALSE(s.disagrees);
  EXPECT_EQ(finding(result, "estimate.disagrees"), nullptr);
}

TEST(Sensitivity, AgreesWithAnEquivalenceThatItsIntervalAllows) {
  const Result result = judge(evidence_of({}, 16), Ending::complete);
  ASSERT_EQ(result.comparisons[0].verdict, stats::Verdict::equivalent);
  EXPECT_FALSE(result.comparisons[0].sensitivity->disagrees);
  EXPECT_EQ(result.comparisons[0].sensitivity->verdict, stats::Verdict::equivalent);
}

TEST(Sensitivity, DisagreesWhereAFewFarTrialsMakeTheVerdict) {
  record::Evidence evidence = evidence_of({.looks = {64}}, 64);
  for (record::Sample& row : evidence.samples.rows) {
    if (row.trial <= 10 && evidence.samples.names.name(row.subject) == "after") {
      row.interval_ns *= 1.65;
    }
  }
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].verdict, stats::Verdict::slower);
  EXPECT_TRUE(result.comparisons[0].sensitivity->disagrees);
  EXPECT_LT(result.comparisons[0].sensitivity->ratio_interval->high, 1.01);
  const Finding* found = finding(result, "estimate.disagrees");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->cell, result.comparisons[0].cell);
  EXPECT_EQ(found->text.find("after is slower by the mean of its trials"), 0U) << found->text;
}

TEST(Sensitivity, IsMissingWithoutALookAndWhereTrialsTie) {
  EXPECT_FALSE(judge(evidence_of({}, 7), Ending::complete).comparisons[0].sensitivity.has_value());
  const Result tied = judge(evidence_of({.sd_trial = 0, .sd_sample = 0}, 8), Ending::complete);
  const Sensitivity& s = *tied.comparisons[0].sensitivity;
  EXPECT_EQ(s.ratio_interval.missing().reason, "no-spread");
  EXPECT_EQ(s.verdict, stats::Verdict::inconclusive);
  EXPECT_FALSE(s.disagrees);
}

TEST(Score, IsGivenToWhatIsDecidedAndNoOther) {
  Synthetic s{.subjects = {"before", "after", "open", "wrong"},
              .ratio = {{"after", 0.625}, {"open", 1.011}}};
  record::Evidence evidence = evidence_of(s, 16);
  for (auto& prediction : evidence.plan.predictions) {
    prediction.probability = experiment::Probability{0.7, 0.2, 0.1};
  }
  evidence.checks.results = {check_of("before", "wrong", false)};
  const Result result = judge(evidence, Ending::complete);
  const ComparisonResult& after = result.comparisons[0];
  ASSERT_TRUE(after.score.has_value());
  EXPECT_TRUE(after.score->is_hit);
  EXPECT_DOUBLE_EQ(after.score->interval_score, std::log(0.9 / 0.5));
  EXPECT_DOUBLE_EQ(*after.score->ranked_probability_score, (0.09 + 0.01) / 2);
  EXPECT_FALSE(result.comparisons[1].score.has_value());
  EXPECT_FALSE(result.comparisons[2].score.has_value());

  ASSERT_TRUE(result.predictions.has_value());
  EXPECT_EQ(result.predictions->predicted, 3);
  EXPECT_EQ(result.predictions->scored, 1);
  EXPECT_EQ(result.predictions->hits, 1);
  EXPECT_NEAR(result.predictions->hit_rate->low, 0.025, 1e-12);
  ASSERT_EQ(result.predictions->unscored.size(), 2U);
  EXPECT_EQ(result.predictions->unscored[0].find("open, sum/n=1024/warm/call: inconclusive"), 0U);
  EXPECT_EQ(result.predictions->unscored[1].find("wrong, sum/n=1024/warm/call: invalid"), 0U);
  // 0.7 came true; 0.2 and 0.1 did not.
  ASSERT_EQ(result.predictions->calibration.size(), 3U);
  EXPECT_EQ(result.predictions->calibration.back().came_true, 1);
  EXPECT_EQ(result.predictions->calibration.front().came_true, 0);
}

TEST(Score, OfAMissCostsItsDistance) {
  const Result result = judge(evidence_of({.ratio = {{"after", 0.4}}}, 8), Ending::complete);
  const ComparisonResult& after = result.comparisons[0];
  EXPECT_FALSE(after.score->is_hit);
  EXPECT_DOUBLE_EQ(after.score->interval_score,
                   stats::ratio_interval_score(0.5, 0.9, *after.ratio));
  EXPECT_EQ(after.score->ranked_probability_score.missing().reason, "not-stated");
  EXPECT_EQ(result.predictions->mean_ranked_probability_score.missing().reason, "not-stated");
  EXPECT_FALSE(judge(evidence_of({.predicted = false}, 8), Ending::complete).predictions);
}

TEST(Suite, IsTheGeometricMeanOverCells) {
  Synthetic s{.cases = {"n=1", "n=2", "n=4"}, .ratio = {{"after", 0.625}}};
  const Result result = judge(evidence_of(s, 8), Ending::complete);
  ASSERT_EQ(result.suites.size(), 1U);
  const SuiteResult& suite = result.suites[0];
  EXPECT_EQ(suite.candidate, "after");
  EXPECT_EQ(suite.cells, 3);
  EXPECT_EQ(suite.trials, 8);
  EXPECT_DOUBLE_EQ(suite.confidence_level, 0.975);
  EXPECT_NEAR(*suite.ratio,
              std::cbrt(*result.comparisons[0].ratio * *result.comparisons[1].ratio *
                        *result.comparisons[2].ratio),
              1e-12);
  EXPECT_LT(suite.ratio_interval->low, *suite.ratio);
  EXPECT_GT(suite.ratio_interval->high, *suite.ratio);
  EXPECT_TRUE(judge(evidence_of({}, 8), Ending::complete).suites.empty());
}

TEST(Suite, TakesOnlyTrialsThatCountInEveryCell) {
  Synthetic s{.cases = {"n=1", "n=2"}, .ratio = {{"after", 0.625}}};
  record::Evidence evidence = evidence_of(s, 9);
  // Trial 3 of the first cell was cut off: that cell takes its look at trial 9.
  std::erase_if(evidence.samples.rows, [&](const record::Sample& row) {
    return row.trial == 3 && row.block == 2 && evidence.samples.names.name(row.case_id) == "n=1";
  });
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].look, 8);
  EXPECT_EQ(result.suites[0].trials, 7);
}

TEST(Suite, SaysWhatIsLeftOut) {
  Synthetic s{.cases = {"n=1", "n=2"}, .ratio = {{"after", 0.625}}};
  record::Evidence evidence = evidence_of(s, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  evidence.checks.results[0].case_id = "n=1";
  const Result result = judge(evidence, Ending::complete);
  ASSERT_EQ(result.suites.size(), 1U);
  EXPECT_EQ(result.suites[0].ratio.missing().reason, "too-few-cells");
  EXPECT_EQ(result.suites[0].left_out, std::vector<std::string>{"sum/n=1/warm/call: invalid"});
}

TEST(Advice, FollowsFromCostsAndScatter) {
  Synthetic s{.ratio = {{"after", 0.7}}, .sd_trial = 0.012, .sd_sample = 0.03, .blocks = 20};
  record::Evidence evidence = evidence_of(s, 16);
  add_trials(evidence);
  const Result result = judge(evidence, Ending::complete);
  ASSERT_TRUE(result.cells[0].advice.has_value());
  const BlocksAdvice& advice = *result.cells[0].advice;
  // Three subjects, a row each millisecond; the last row of a trial is a little shorter or longer.
  EXPECT_NEAR(*advice.block_s, 3e-3, 1e-4);
  EXPECT_NEAR(*advice.trial_s, 20e-3, 1e-4);
  EXPECT_NEAR(*advice.within_trial_sd, 0.03 * std::sqrt(2), 0.006);
  EXPECT_FALSE(advice.is_bounded);
  EXPECT_EQ(*advice.blocks,
            std::max<std::int64_t>(
                3, std::llround(std::ceil(std::sqrt(*advice.trial_s / *advice.block_s) *
                                          *advice.within_trial_sd / *advice.between_trials_sd))));
}

TEST(Advice, IsHeldAgainstTheBlocksThatWereInForce) {
  record::Evidence evidence = evidence_of({.blocks = 7}, 16);
  evidence.plan.protocol.blocks = 20;  // as where the rule left the number to calibration
  EXPECT_EQ(judge(evidence, Ending::complete).cells[0].advice->taken, 7);
}

TEST(Advice, NeedsToKnowWhatTrialsCost) {
  const Result result = judge(evidence_of({}, 16), Ending::complete);
  EXPECT_EQ(result.cells[0].advice->blocks.missing().reason, "not-measured");
  EXPECT_FALSE(judge(evidence_of({}, 7), Ending::complete).cells[0].advice.has_value());
}

TEST(Description, OfASubjectHasEveryStatistic) {
  Synthetic s{.sd_sample = 0.01, .blocks = 60};
  const Result result = judge(evidence_of(s, 8), Ending::complete);
  const SubjectResult& before = result.cells[0].subjects[0];
  EXPECT_EQ(before.samples, 480);
  EXPECT_LT(*before.min_ns, *before.p5_ns);
  EXPECT_LT(*before.p5_ns, *before.trimmed_mean_ns);
  EXPECT_NEAR(*before.mean_ns, 10'000, 100);
  EXPECT_NEAR(*before.trimmed_mean_ns, 10'000, 100);
  EXPECT_LT(*before.trimmed_mean_ns, *before.p95_ns);
  EXPECT_LT(*before.p95_ns, *before.p99_ns);
  EXPECT_NEAR(*before.sd_ns, 104, 15);
  // Independent samples; the estimate of their correlation scatters.
  EXPECT_GT(*before.within_trial.effective_samples, 40);
  EXPECT_LE(*before.within_trial.effective_samples, 60);
  EXPECT_GE(*before.within_trial.trial, 1);
  EXPECT_LE(*before.within_trial.trial, 8);
  EXPECT_LT(before.within_trial.median_interval_ns->low, *before.median_ns);
  EXPECT_GT(before.within_trial.median_interval_ns->high, *before.median_ns);
}

TEST(Description, RefusesWhatTooFewSamplesCannotSay) {
  const Result result = judge(evidence_of({}, 8), Ending::complete);
  const SubjectResult& before = result.cells[0].subjects[0];
  EXPECT_EQ(before.within_trial.median_interval_ns.missing().reason,
            "insufficient-effective-samples");
  EXPECT_EQ(before.p99_ns.missing().reason, "too-few-values");
}

TEST(OneSubject, HasPrecisionDescriptionAndAdvice) {
  Synthetic s{.subjects = {"only"}, .blocks = 20};
  record::Evidence evidence = evidence_of(s, 16);
  evidence.plan.protocol.precision = 0.02;
  add_trials(evidence);
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_TRUE(result.comparisons.empty());
  EXPECT_TRUE(result.suites.empty());
  EXPECT_FALSE(result.predictions.has_value());
  EXPECT_TRUE(result.cells[0].precision->interval_ns.has_value());
  EXPECT_TRUE(result.cells[0].subjects[0].within_trial.effective_samples.has_value());
  EXPECT_TRUE(result.cells[0].advice->blocks.has_value());
}

// The width of the interval of the baseline's time, in logs; four layouts differ by up to 4 %.
double width_over(std::int64_t layouts, std::uint32_t trials) {
  auto evidence = evidence_of({.layouts = layouts, .looks = {128}}, trials);
  for (record::Sample& row : evidence.samples.rows) {
    row.interval_ns *= std::exp(0.02 * static_cast<double>((row.trial - 1) % 4));
  }
  const Result result = judge(evidence, Ending::complete);
  const SubjectResult& baseline = result.cells.at(0).subjects.at(0);
  EXPECT_EQ(baseline.trials, trials);
  return std::log(baseline.interval_ns->high / baseline.interval_ns->low);
}

TEST(Description, TakesLayoutsForItsUnitsWhereThereAreSeveral) {
  // More trials of the same four layouts say no more about a fifth; trials of one layout do.
  EXPECT_GT(width_over(4, 64), 0.8 * width_over(4, 16));
  EXPECT_LT(width_over(1, 64), 0.6 * width_over(1, 16));
}

TEST(EstimatesJson, ReadBackAsWritten) {
  Synthetic s{
      .cases = {"n=1", "n=2"}, .subjects = {"before", "after", "wrong"}, .ratio = {{"after", 0.5}}};
  record::Evidence evidence = evidence_of(s, 8);
  evidence.plan.predictions[0].probability = experiment::Probability{0.7, 0.2, 0.1};
  evidence.checks.results = {check_of("before", "wrong", false)};
  evidence.checks.results[0].case_id = "n=1";
  add_trials(evidence);
  const Json json = to_json(judge(evidence, Ending::complete));
  ASSERT_TRUE(json.contains("suites") && json.contains("predictions"));
  const Json again = parse_json(json_text(json), "result.json");
  EXPECT_EQ(to_json(result_from_json(again, "result.json")), json);
}

}  // namespace
}  // namespace assay::judge
