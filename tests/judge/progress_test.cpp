// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::append_trials;
using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::Synthetic;

TEST(Progress, ACellLeavesWhenItsComparisonsAreDecided) {
  const Synthetic s{.cases = {"n=1", "n=2"}, .ratio = {{"after", 0.5}}};
  const Progress seven = progress(evidence_of(s, 7));
  EXPECT_EQ(seven.open_cells, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(seven.decided, 0U);
  EXPECT_EQ(seven.comparisons, 2U);
  const Progress eight = progress(evidence_of(s, 8));
  EXPECT_TRUE(eight.open_cells.empty());
  EXPECT_EQ(eight.decided, 2U);
}

TEST(Progress, ACellLeavesAtItsLastLookUndecided) {
  Synthetic s{.ratio = {{"after", 1.01}}, .sd_trial = 0.05};
  EXPECT_EQ(progress(evidence_of(s, 15)).open_cells.size(), 1U);
  const Progress last = progress(evidence_of(s, 16));
  EXPECT_TRUE(last.open_cells.empty());
  EXPECT_EQ(last.decided, 0U);
}

TEST(Progress, ACellOfInvalidSubjectsIsDone) {
  record::Evidence evidence = evidence_of({}, 0);
  EXPECT_EQ(progress(evidence).open_cells.size(), 1U);
  evidence.checks.results = {check_of("before", "after", false)};
  EXPECT_TRUE(progress(evidence).open_cells.empty());
}

TEST(Progress, ARefusedCellIsDone) {
  record::Evidence evidence = evidence_of({}, 0);
  evidence.calibration.cells[0].iterations = Missing{"too-short", "too short to time"};
  EXPECT_TRUE(progress(evidence).open_cells.empty());
}

TEST(Progress, ACellThatAWorkerFailedInIsDoneThoughNoSubjectIsToBlame) {
  const Synthetic s{.cases = {"n=1024", "n=2"}};
  record::Evidence evidence = evidence_of(s, 3);
  evidence.checks.failures = {
      judge_test::failure_of(experiment::failure::crashed, "", "sum/n=1024/warm/call")};
  EXPECT_EQ(progress(evidence).open_cells, std::vector<std::size_t>{1});
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.comparisons[0].reason,
            "after 3 trials it took part in no more: crashed: it went wrong");
  EXPECT_EQ(result.exit_status, 5);
}

TEST(Progress, OneSubjectLeavesAtItsPrecision) {
  record::Evidence evidence = evidence_of({.subjects = {"only"}}, 8);
  evidence.plan.protocol.precision = 0.02;
  EXPECT_TRUE(progress(evidence).open_cells.empty());
  evidence.plan.protocol.precision = 0.0001;
  EXPECT_EQ(progress(evidence).open_cells.size(), 1U);
}

TEST(Progress, AGrowingIndexSaysTheSameAsOneFromScratch) {
  const Synthetic s{.cases = {"n=1", "n=2", "n=3"},
                    .subjects = {"before", "a", "b"},
                    .ratio = {{"a", 0.97}, {"b", 1.004}},
                    .sd_trial = 0.01,
                    .looks = {8, 16, 32},
                    .predicted = false};
  record::Evidence evidence = evidence_of(s, 0);
  Index index(evidence.plan, evidence.calibration);
  for (std::uint32_t trial = 1; trial <= 32; ++trial) {
    append_trials(evidence, s, trial, trial);
    index.update(evidence.samples);
    const Progress grown = progress(index, evidence.checks);
    const Progress fresh = progress(evidence);
    ASSERT_EQ(grown.open_cells, fresh.open_cells) << "trial " << trial;
    ASSERT_EQ(grown.decided, fresh.decided) << "trial " << trial;
  }
  EXPECT_EQ(to_json(judge(evidence, index, Ending::complete)),
            to_json(judge(evidence, Ending::complete)));
}

TEST(Progress, ATrialThatIsCompletedLaterIsTakenIntoAccount) {
  const Synthetic s{.ratio = {{"after", 0.5}}};
  record::Evidence evidence = evidence_of(s, 9);
  const record::SampleTable whole = evidence.samples;
  evidence.samples.rows.erase(evidence.samples.rows.begin() + 8);  // of trial 1
  Index index(evidence.plan, evidence.calibration);
  index.update(evidence.samples);
  EXPECT_EQ(progress(index, evidence.checks).decided, 1U);  // of trials 2 to 9
  for (std::size_t i = 0; i < 9; ++i) {
    record::Sample row = whole.rows[i];
    row.process = 77;
    evidence.samples.rows.push_back(row);
  }
  index.update(evidence.samples);
  EXPECT_EQ(to_json(judge(evidence, index, Ending::complete)),
            to_json(judge(evidence, Ending::complete)));
}

TEST(ManyCells, AreJudgedAsEachAloneWould) {
  Synthetic s{.ratio = {{"after", 0.5}}, .predicted = false};
  s.cases.clear();
  for (int n = 1; n <= 100; ++n) s.cases.push_back("n=" + std::to_string(n));
  const Result all = judge(evidence_of(s, 8), Ending::complete);
  ASSERT_EQ(all.cells.size(), 100U);
  for (const std::size_t number : {std::size_t{0}, std::size_t{37}, std::size_t{99}}) {
    Synthetic alone = s;
    alone.cases = {s.cases[number]};
    const Result one = judge(evidence_of(alone, 8), Ending::complete);
    EXPECT_EQ(all.cells[number].cell, one.cells[0].cell);
    EXPECT_EQ(*all.cells[number].subjects[2].median_ns, *one.cells[0].subjects[2].median_ns);
    EXPECT_EQ(*all.comparisons[number].ratio, *one.comparisons[0].ratio);
  }
}

}  // namespace
}  // namespace assay::judge
