// SPDX-License-Identifier: MIT
//
// What is said beside the verdicts: claims, findings, JSON, recomputation.
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/judge/judge.hpp"
#include "assay/judge/text.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::Synthetic;

bool has_finding(const Result& result, const std::string& slug) {
  return std::any_of(result.findings.begin(), result.findings.end(),
                     [&](const Finding& finding) { return finding.slug == slug; });
}

TEST(Claim, SaysMachineBuildRatioIntervalAndWhere) {
  const Result result = judge(evidence_of({.ratio = {{"after", 0.625}}}, 8), Ending::complete);
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_EQ(result.claims[0].id, "c1");
  const std::string& text = result.claims[0].text;
  EXPECT_EQ(text.find("On Imaginary CPU, in this build, after took 0.62"), 0U) << text;
  EXPECT_NE(text.find("(97.5 % interval 0.62"), std::string::npos) << text;
  EXPECT_NE(text.find("at n=1024, warm, call boundary, over 8 trials: faster"), std::string::npos)
      << text;
  EXPECT_NE(text.find("the prediction of 0.500 to 0.900 is supported"), std::string::npos) << text;
}

TEST(Claim, ScopeSaysWhatWasCheckedAndRegistered) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  EXPECT_NE(judge(evidence, Ending::complete).claims[0].scope.find("no output was checked"),
            std::string::npos);
  evidence.checks.results = {check_of("before", "after", true),
                             check_of("adversarial", "after", true)};
  EXPECT_NE(judge(evidence, Ending::complete)
                .claims[0]
                .scope.find("outputs checked on every case and on adversarial inputs"),
            std::string::npos);
  evidence.plan.cells[0].checked = false;
  evidence.plan.question = {};
  const Result result = judge(evidence, Ending::complete);
  EXPECT_NE(result.claims[0].scope.find("outputs unchecked; no question registered"),
            std::string::npos)
      << result.claims[0].scope;
  EXPECT_TRUE(has_finding(result, "unchecked"));
  EXPECT_TRUE(has_finding(result, "question.none"));
}

TEST(Claim, ManyCellsBecomeOneSentence) {
  Synthetic s{.ratio = {{"after", 0.5}}, .predicted = false};
  s.cases = {"n=1", "n=2", "n=3", "n=4", "n=5"};
  const Result result = judge(evidence_of(s, 8), Ending::complete);
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_NE(result.claims[0].text.find("of 5 cells (warm, call boundary), faster in 5"),
            std::string::npos)
      << result.claims[0].text;
}

TEST(Claim, NothingIsSaidAboutTheTimeOfAnInvalidSubject) {
  record::Evidence evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  const std::string text = judge(evidence, Ending::complete).claims[0].text;
  EXPECT_NE(text.find("nothing is said about the time of after"), std::string::npos) << text;
  EXPECT_EQ(text.find("×"), std::string::npos) << text;
}

TEST(Claim, OfOneSubjectGivesTheIntervalAtItsOwnLevel) {
  record::Evidence evidence = evidence_of({.subjects = {"only"}}, 8);
  evidence.plan.protocol.precision = 0.02;
  const Result result = judge(evidence, Ending::complete);
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_NE(result.claims[0].text.find("a call of only took "), std::string::npos);
  EXPECT_NE(result.claims[0].text.find("µs (97.5 % interval)"), std::string::npos)
      << result.claims[0].text;
  ASSERT_TRUE(result.cells[0].precision.has_value());
  EXPECT_TRUE(result.cells[0].precision->is_reached);
}

TEST(Finding, ASingleLayoutIsOneOnACpu) {
  EXPECT_TRUE(has_finding(judge(evidence_of({}, 8), Ending::complete), "layout.single"));
  EXPECT_FALSE(
      has_finding(judge(evidence_of({.layouts = 8}, 8), Ending::complete), "layout.single"));
}

TEST(Finding, AVoidedCellIsOne) {
  EXPECT_TRUE(has_finding(judge(evidence_of({.control_ratio = 1.05}, 8), Ending::complete),
                          "control.void"));
}

TEST(Finding, AControlBeyondTheUnsharedLevelOnlyLeans) {
  // Between the level of one cell and that shared by 40 there is a seed that shows it.
  bool seen = false;
  for (std::uint64_t seed = 1; seed <= 60 && !seen; ++seed) {
    Synthetic s{.control_ratio = 1.008, .sd_trial = 0.0025, .seed = seed};
    s.cases.clear();
    for (int i = 1; i <= 40; ++i) s.cases.push_back("n=" + std::to_string(i));
    const Result result = judge(evidence_of(s, 8), Ending::complete);
    for (const CellResult& cell : result.cells) {
      seen = seen || (cell.control.is_finding && !cell.control.voids);
    }
    EXPECT_EQ(has_finding(result, "control.leaning"), seen);
  }
  EXPECT_TRUE(seen);
}

TEST(Hypothesis, IsNeverDecidedByTimes) {
  EXPECT_EQ(judge(evidence_of({.ratio = {{"after", 0.5}}}, 8), Ending::complete)
                .hypothesis.find("undecided"),
            0U);
}

TEST(ResultJson, ReadsBackAsWritten) {
  record::Evidence evidence =
      evidence_of({.cases = {"n=1024", "n=2"}, .ratio = {{"after", 0.5}}}, 8);
  evidence.checks.results = {check_of("before", "after", false)};
  for (const Ending ending : {Ending::complete, Ending::interrupted}) {
    const Json json = to_json(judge(evidence, ending));
    const Json again = parse_json(json_text(json), "result.json");
    EXPECT_EQ(to_json(result_from_json(again, "result.json")), json);
  }
  evidence = evidence_of({.subjects = {"only"}}, 8);
  evidence.plan.protocol.precision = 0.02;
  const Json json = to_json(judge(evidence, Ending::complete));
  EXPECT_EQ(to_json(result_from_json(json, "result.json")), json);
}

TEST(ResultJson, RefusesWhatItDoesNotKnow) {
  Json json = to_json(judge(evidence_of({}, 8), Ending::complete));
  json["comparisons"][0]["verdict"] = "splendid";
  EXPECT_THROW(result_from_json(json, "result.json"), Error);
  json["comparisons"][0]["verdict"] = "faster";
  json["surplus"] = 1;
  EXPECT_THROW(result_from_json(json, "result.json"), Error);
}

// Every object of the JSON below, the whole among them.
std::vector<Json::json_pointer> objects_of(const Json& json, const Json::json_pointer& at) {
  std::vector<Json::json_pointer> found;
  if (json.is_object()) found.push_back(at);
  if (!json.is_structured()) return found;
  for (const auto& [key, value] : json.items()) {
    const auto below = objects_of(value, json.is_array() ? at / std::stoul(key) : at / key);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

TEST(ResultJson, RefusesAnUnknownMemberWhereverItIs) {
  record::Evidence evidence = evidence_of(
      {.cases = {"n=1", "n=2"}, .ratio = {{"after", 0.5}}, .sd_sample = 0.01, .blocks = 60}, 8);
  evidence.trials.resize(1);
  evidence.trials[0].trial = 1;
  evidence.trials[0].canary_missing = "not-reached";
  record::Evidence one = evidence_of({.subjects = {"only"}}, 8);
  one.plan.protocol.precision = 0.02;
  for (const record::Evidence* each : {&evidence, &one}) {
    const Json json = to_json(judge(*each, Ending::complete));
    for (const auto& place : objects_of(json, Json::json_pointer())) {
      Json changed = json;
      changed[place]["surplus"] = 1;
      EXPECT_THROW(result_from_json(changed, "result.json"), Error) << place.to_string();
    }
  }
}

TEST(Recomputation, FindsNothingInAnHonestRecord) {
  record::Record record;
  record.evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  for (const Ending ending : {Ending::complete, Ending::budget_spent, Ending::interrupted}) {
    record.result = parse_json(json_text(to_json(judge(record.evidence, ending))), "result.json");
    EXPECT_TRUE(recomputation_differences(record).empty());
  }
}

TEST(Recomputation, NamesEachChangedPlace) {
  record::Record record;
  record.evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  record.result = to_json(judge(record.evidence, Ending::complete));
  (*record.result)["comparisons"][0]["ratio"]["value"] = 0.4;
  (*record.result)["comparisons"][0]["verdict"] = "slower";
  (*record.result)["claims"][0]["text"] = "It is splendid.";
  (*record.result).erase("hypothesis");
  const auto differences = recomputation_differences(record);
  ASSERT_EQ(differences.size(), 4U);
  EXPECT_EQ(differences[0].find("result.json.claims[0].text: \"It is splendid.\""), 0U);
  EXPECT_EQ(differences[1].find("result.json.hypothesis: not in the record"), 0U);
  EXPECT_EQ(differences[2].find("result.json.comparisons[0].verdict"), 0U);
  EXPECT_EQ(differences[3].find("result.json.comparisons[0].ratio.value: 0.4 in the record"), 0U);
}

TEST(Recomputation, FindsASampleThatWasChanged) {
  record::Record record;
  record.evidence = evidence_of({.ratio = {{"after", 0.5}}}, 8);
  record.result = to_json(judge(record.evidence, Ending::complete));
  record.evidence.samples.rows[4].interval_ns *= 1.0001;
  EXPECT_FALSE(recomputation_differences(record).empty());
}

TEST(Recomputation, SaysWhenThereIsNoResult) {
  record::Record record;
  EXPECT_EQ(recomputation_differences(record).size(), 1U);
}

TEST(Text, TimesHaveFourDigitsAndAUnitForPeople) {
  EXPECT_EQ(time_text(812.34), "812.3 ns");
  EXPECT_EQ(time_text(12'345), "12.35 µs");
  EXPECT_EQ(time_text(1.5e6), "1.500 ms");
  EXPECT_EQ(time_text(2.0123e9), "2.012 s");
  EXPECT_EQ(time_text(999.99), "1.000 µs");
  EXPECT_EQ(time_range_text(999, 1010), "0.9990 to 1.010 µs");
}

TEST(Text, RatiosAndShares) {
  EXPECT_EQ(ratio_text(0.6234), "0.623");
  EXPECT_EQ(ratio_text(0.01234), "0.0123");
  EXPECT_EQ(ratio_text(35.26), "35.3");
  EXPECT_EQ(percent_text(0.01), "1 %");
  EXPECT_EQ(percent_text(0.99667), "99.67 %");
  EXPECT_EQ(bytes_rate_text(12.34e9), "12.3 GB/s");
}

}  // namespace
}  // namespace assay::judge
