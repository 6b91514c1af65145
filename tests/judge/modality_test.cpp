// SPDX-License-Identifier: MIT
//
// Several modes: what is said of them, and that no verdict changes by it.
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using judge_test::Synthetic;

const Finding* finding_of(const Result& result, const std::string& slug) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const Finding& finding) { return finding.slug == slug; });
  return found == result.findings.end() ? nullptr : &*found;
}

const SubjectResult& subject_of(const Result& result, const std::string& name) {
  const auto& subjects = result.cells[0].subjects;
  return *std::find_if(subjects.begin(), subjects.end(),
                       [&](const SubjectResult& subject) { return subject.subject == name; });
}

// `after` is slow, by that factor, in the samples that `is_slow(trial, block)` picks.
template <typename IsSlow>
record::Evidence with_slow(const Synthetic& s, std::uint32_t trials, double factor,
                           IsSlow is_slow) {
  record::Evidence evidence = evidence_of(s, trials);
  for (record::Sample& row : evidence.samples.rows) {
    if (evidence.samples.names.name(row.subject) == "after" && is_slow(row.trial, row.block)) {
      row.interval_ns *= factor;
    }
  }
  return evidence;
}

const Synthetic kTwenty{.ratio = {{"after", 0.9}}, .blocks = 20, .looks = {16}};

TEST(Modality, OfOneModeIsNoneAndGivesOneEstimand) {
  const Result result = judge(evidence_of(kTwenty, 16), Ending::complete);
  for (const SubjectResult& subject : result.cells[0].subjects) {
    ASSERT_TRUE(subject.modality.has_value()) << subject.subject;
    EXPECT_EQ(subject.modality->seen, "none");
    EXPECT_FALSE(subject.modality->several);
    EXPECT_TRUE(subject.modality->p_within && subject.modality->p_between);
  }
  EXPECT_EQ(result.comparisons[0].estimand, "median");
  EXPECT_FALSE(result.comparisons[0].other_estimand.has_value());
  EXPECT_EQ(finding_of(result, "modes.several"), nullptr);
  EXPECT_EQ(finding_of(result, "modes.between-trials"), nullptr);
}

TEST(Modality, WithinTrialsIsAFindingWithBothEstimands) {
  const auto third = [](std::uint32_t trial, std::uint32_t block) {
    return (trial + block) % 3 == 0;
  };
  const record::Evidence evidence = with_slow(kTwenty, 16, 1.06, third);
  const Result result = judge(evidence, Ending::complete);
  const ModalityResult& modality = *subject_of(result, "after").modality;
  EXPECT_EQ(modality.seen, "within-trials");
  ASSERT_EQ(modality.modes.size(), 2U);
  EXPECT_NEAR(modality.modes[1].location_ns / modality.modes[0].location_ns, 1.06, 0.01);
  EXPECT_NEAR(modality.modes[1].share_frac, 1.0 / 3, 0.04);
  EXPECT_FALSE(subject_of(result, "before").modality->several);

  const ComparisonResult& c = result.comparisons[0];
  EXPECT_EQ(c.verdict, stats::Verdict::faster);
  EXPECT_EQ(c.estimand, "median");
  ASSERT_TRUE(c.other_estimand.has_value());
  EXPECT_EQ(c.other_estimand->estimand, "mean");
  EXPECT_NEAR(*c.ratio, 0.9, 0.005);
  EXPECT_NEAR(*c.other_estimand->ratio, 0.9 * (1 + 0.06 / 3), 0.005);
  EXPECT_LT(c.other_estimand->ratio_interval->low, *c.other_estimand->ratio);
  EXPECT_GT(c.other_estimand->ratio_interval->high, *c.other_estimand->ratio);

  const Finding* finding = finding_of(result, "modes.several");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->cell, result.cells[0].cell);
  EXPECT_NE(finding->text.find("The times of after have 2 modes within trials (dip test, p at most "
                               "0.001): "),
            std::string::npos)
      << finding->text;
  EXPECT_NE(finding->text.find("by the median of ratios, as registered"), std::string::npos);
}

TEST(Modality, WhereTheMeanIsRegisteredTheMedianIsTheOther) {
  const auto third = [](std::uint32_t trial, std::uint32_t block) {
    return (trial + block) % 3 == 0;
  };
  record::Evidence evidence = with_slow(kTwenty, 16, 1.06, third);
  evidence.calibration.cells[0].estimand = experiment::Estimand::mean;
  const ComparisonResult c = judge(evidence, Ending::complete).comparisons[0];
  EXPECT_EQ(c.estimand, "mean");
  EXPECT_EQ(c.other_estimand->estimand, "median");
  EXPECT_NEAR(*c.other_estimand->ratio, 0.9, 0.005);
}

TEST(Modality, OnlyBetweenTrialsIsAFindingOfItsOwn) {
  const auto slow_core = [](std::uint32_t trial, std::uint32_t) { return trial % 2 == 0; };
  const Result result = judge(with_slow(kTwenty, 16, 1.2, slow_core), Ending::complete);
  EXPECT_EQ(subject_of(result, "after").modality->seen, "between-trials");
  EXPECT_EQ(finding_of(result, "modes.several"), nullptr);
  ASSERT_NE(finding_of(result, "modes.between-trials"), nullptr);
  EXPECT_NE(finding_of(result, "modes.between-trials")->text.find("only between trials"),
            std::string::npos);
  EXPECT_TRUE(result.comparisons[0].other_estimand.has_value());
}

TEST(Modality, BetweenTooFewTrialsIsInsufficientAndNoFinding) {
  Synthetic s = kTwenty;
  s.looks = {8};
  const auto slow_core = [](std::uint32_t trial, std::uint32_t) { return trial % 2 == 0; };
  const Result result = judge(with_slow(s, 8, 1.2, slow_core), Ending::complete);
  const ModalityResult& modality = *subject_of(result, "after").modality;
  EXPECT_EQ(modality.seen, "insufficient");
  EXPECT_NE(modality.p_between.missing().detail.find("need 16 trials; there are 8"),
            std::string::npos);
  EXPECT_FALSE(result.comparisons[0].other_estimand.has_value());
  EXPECT_EQ(finding_of(result, "modes.between-trials"), nullptr);
}

TEST(Modality, RestsOnTheTrialsThatTheVerdictRestsOn) {
  // The verdict falls at 16 trials; what comes later has modes, and takes no part.
  const auto later = [](std::uint32_t trial, std::uint32_t block) {
    return trial > 16 && block % 2 == 0;
  };
  const Result result = judge(with_slow(kTwenty, 40, 1.1, later), Ending::complete);
  EXPECT_EQ(result.comparisons[0].look, 16);
  EXPECT_EQ(subject_of(result, "after").modality->seen, "none");
}

TEST(Modality, OfAnInvalidSubjectAndOfNoTrialIsMissing) {
  record::Evidence evidence = evidence_of(kTwenty, 16);
  evidence.checks.results = {judge_test::check_of("before", "after", false)};
  EXPECT_EQ(subject_of(judge(evidence, Ending::complete), "after").modality.missing().reason,
            "invalid");
  EXPECT_EQ(subject_of(judge(evidence_of(kTwenty, 0), Ending::complete), "after")
                .modality.missing()
                .reason,
            "not-measured");
}

TEST(Modality, OfEqualSamplesSaysThatTheyTie) {
  record::Evidence evidence = evidence_of(kTwenty, 16);
  for (record::Sample& row : evidence.samples.rows) row.interval_ns = 1e6;
  EXPECT_EQ(subject_of(judge(evidence, Ending::complete), "after").modality.missing().reason,
            "no-spread");
}

TEST(Modality, SurvivesTheFileAndRecomputes) {
  const auto third = [](std::uint32_t, std::uint32_t block) { return block % 3 == 0; };
  const record::Evidence evidence = with_slow(kTwenty, 16, 1.06, third);
  const Json json = to_json(judge(evidence, Ending::complete));
  EXPECT_EQ(to_json(result_from_json(json, "result.json")), json);
  EXPECT_EQ(to_json(judge(evidence, Ending::complete)), json);
}

}  // namespace
}  // namespace assay::judge
