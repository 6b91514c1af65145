// SPDX-License-Identifier: MIT
//
// What the canaries say of the machine, and when that is a finding.
#include "assay/judge/canaries.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using judge_test::next_normal;
using judge_test::Synthetic;

struct Machine {
  std::uint32_t trials = 16;
  std::uint64_t seed = 1;
  double sd_trial = 0.02;
  double sd_sample = 0.01;
  std::int64_t cores = 2;
  bool pinned = true;
  // Factor on the time, by trial and moment (0: start, 1: end).
  std::function<double(std::uint32_t, int)> factor = [](std::uint32_t, int) { return 1.0; };
};

void add_canary(record::Evidence& evidence, std::uint32_t trial, std::uint32_t process, int moment,
                double interval_ns, const std::string& kernel = "canary-compute",
                const std::string& boundary = "call", const std::string& timer = "steady") {
  record::Dictionary& names = evidence.samples.names;
  record::Sample row;
  row.trial = trial;
  row.process = process;
  row.build = names.index_of("program");
  row.problem = row.case_id = row.state = names.index_of("");
  row.boundary = names.index_of(boundary);
  row.timer = names.index_of(timer);
  row.subject = names.index_of(kernel);
  row.flags = names.index_of("");
  row.phase = record::Phase::canary;
  row.block = static_cast<std::uint32_t>(moment);
  row.interval_ns = interval_ns;
  evidence.samples.rows.push_back(row);
}

record::Trial told(std::uint32_t trial, const Machine& machine, std::int64_t core) {
  record::Trial row;
  row.trial = trial;
  row.process = 2 * trial;
  row.build = "program";
  if (machine.pinned) row.core = core;
  row.outcome = "completed";
  return row;
}

// The second of two cores is slower by 40 %.
record::Evidence evidence_on(const Machine& machine) {
  record::Evidence evidence = evidence_of({}, machine.trials);
  Random random(machine.seed);
  for (std::uint32_t trial = 1; trial <= machine.trials; ++trial) {
    const auto core =
        static_cast<std::int64_t>(random.next_below(static_cast<std::uint64_t>(machine.cores)));
    evidence.trials.push_back(told(trial, machine, core));
    const double of_trial =
        60'000 * (core == 0 ? 1.0 : 1.4) * std::exp(machine.sd_trial * next_normal(random));
    for (const int moment : {0, 1}) {
      for (int sample = 0; sample < 5; ++sample) {
        add_canary(evidence, trial, 2 * trial, moment,
                   of_trial * machine.factor(trial, moment) *
                       std::exp(machine.sd_sample * next_normal(random)));
      }
    }
  }
  return evidence;
}

std::vector<Finding> unsteady(const record::Evidence& evidence) {
  std::vector<Finding> findings;
  detail::add_of_canaries(findings, detail::canaries_of(evidence));
  return findings;
}

TEST(Canaries, DescribeTheTrials) {
  Machine machine{.sd_trial = 0.03,
                  .factor = [](std::uint32_t, int moment) { return moment == 1 ? 1.02 : 1.0; }};
  machine.trials = 64;
  const Canaries canaries = detail::canaries_of(evidence_on(machine));
  ASSERT_EQ(canaries.kernels.size(), 1U);
  const CanaryResult& c = canaries.kernels[0];
  EXPECT_EQ(c.kernel, "canary-compute");
  EXPECT_EQ(c.trials, 64);
  EXPECT_EQ(c.end_to_start_trials, 64);
  EXPECT_NEAR(*c.end_to_start, 1.02, 0.005);
  EXPECT_LT(c.end_to_start_interval->low, 1.02);
  EXPECT_GT(c.end_to_start_interval->high, 1.02);
  // The 40 % between the cores is in the range, not in the spread.
  EXPECT_NEAR(*c.between_trials_sd, 0.03, 0.01);
  EXPECT_GT(c.range_ns.high / c.range_ns.low, 1.4);
  EXPECT_NEAR(*c.late_to_early, 1, 0.03);
  EXPECT_EQ(c.trials_apart, 0);
  ASSERT_EQ(c.cores.size(), 2U);
  EXPECT_EQ(c.cores[0].core, Reading<std::int64_t>(0));
  EXPECT_NEAR(c.cores[1].time_ns / c.cores[0].time_ns, 1.4, 0.05);
  EXPECT_EQ(c.cores[0].trials + c.cores[1].trials, 64);
}

TEST(Canaries, CoresThatDifferAreNoFinding) {
  int findings = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    findings += unsteady(evidence_on({.seed = seed, .sd_trial = 0.05})).empty() ? 0 : 1;
  }
  RecordProperty("findings", findings);
  EXPECT_LE(findings, 1) << "of 300 steady machines";
}

TEST(Canaries, WideScatterIsNoFinding) {
  int findings = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    findings += unsteady(evidence_on({.seed = seed, .sd_trial = 0.2})).empty() ? 0 : 1;
  }
  RecordProperty("findings", findings);
  EXPECT_LE(findings, 3) << "of 300 machines that scatter by 20 %";
}

TEST(Canaries, AMachineThatSlowsDownWithinTrialsIsUnsteady) {
  const auto findings = unsteady(
      evidence_on({.factor = [](std::uint32_t, int moment) { return moment == 1 ? 1.12 : 1.0; }}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].slug, "machine.unsteady");
  EXPECT_NE(findings[0].text.find("1.120× as long at the end of a trial"), std::string::npos)
      << findings[0].text;
  EXPECT_EQ(findings[0].text.find("second half"), std::string::npos);
}

TEST(Canaries, AMachineThatIsSlowerInTheSecondHalfIsUnsteadyWhicheverCoreWasDrawn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto findings = unsteady(evidence_on(
        {.seed = seed, .factor = [](std::uint32_t trial, int) { return trial > 8 ? 1.15 : 1.0; }}));
    ASSERT_EQ(findings.size(), 1U) << "seed " << seed;
    EXPECT_NE(findings[0].text.find("in the second half of the trials"), std::string::npos);
  }
}

TEST(Canaries, AChangeByLessThanTheBoundIsNone) {
  EXPECT_TRUE(unsteady(evidence_on({.trials = 64,
                                    .sd_trial = 0.005,
                                    .factor =
                                        [](std::uint32_t t, int m) {
                                          return (t > 32 ? 1.04 : 1.0) * (m == 1 ? 1.04 : 1.0);
                                        }}))
                  .empty());
}

TEST(Canaries, ThreeTrialsInAnotherStateAreUnsteadyAndTwoAreNot) {
  for (const std::uint32_t slow : {2U, 3U}) {
    const auto findings =
        unsteady(evidence_on({.trials = 24, .cores = 1, .factor = [&](std::uint32_t t, int) {
                                return t % 8 == 4 && t / 8 < slow ? 1.6 : 1.0;
                              }}));
    EXPECT_EQ(findings.size(), slow == 3 ? 1U : 0U);
  }
  // At one end only it is a moment, not a state.
  EXPECT_TRUE(
      unsteady(evidence_on({.trials = 24,
                            .cores = 1,
                            .factor = [](std::uint32_t t,
                                         int m) { return t % 8 == 4 && m == 1 ? 1.6 : 1.0; }}))
          .empty());
}

TEST(Canaries, FewTrialsAndUnknownCoresGiveNoFindingAboutTheRun) {
  const auto later = [](std::uint32_t trial, int) { return trial > 3 ? 1.5 : 1.0; };
  EXPECT_TRUE(unsteady(evidence_on({.trials = 7, .cores = 1, .factor = later})).empty());
  const auto unpinned = evidence_on({.pinned = false, .factor = later});
  EXPECT_TRUE(unsteady(unpinned).empty());
  const CanaryResult c = detail::canaries_of(unpinned).kernels.at(0);
  EXPECT_EQ(c.late_to_early.missing().reason, "too-few-trials");
  EXPECT_EQ(c.cores.at(0).core.missing().reason, "not-pinned");
}

TEST(Canaries, OneDisturbedSampleAndAnImpossibleOneDoNotMatter) {
  record::Evidence evidence = evidence_of({}, 1);
  evidence.trials = {told(1, {}, 0)};
  for (const double interval : {100.0, 100.0, 5000.0, 100.0, 0.0}) {
    add_canary(evidence, 1, 2, 0, interval);
  }
  add_canary(evidence, 0, 0, 0, 7);  // calibration
  const Canaries canaries = detail::canaries_of(evidence);
  EXPECT_NEAR(canaries.kernels.at(0).time_ns, 100, 1e-9);
  EXPECT_EQ(canaries.kernels[0].end_to_start.missing().reason, "too-few-trials");
}

TEST(Canaries, TheProcessesOfATrialAreOneUnitAndEachIsComparedWithItself) {
  record::Evidence evidence = evidence_of({}, 1);
  evidence.trials = {told(1, {}, 0), told(1, {}, 0)};
  evidence.trials[1].process = 3;
  for (const std::uint32_t process : {2U, 3U}) {
    const double scale = process == 2 ? 1 : 4;
    add_canary(evidence, 1, process, 0, 100 * scale);
    add_canary(evidence, 1, process, 1, 200 * scale);
  }
  const CanaryResult c = detail::canaries_of(evidence).kernels.at(0);
  EXPECT_EQ(c.trials, 1);
  EXPECT_NEAR(*c.end_to_start, 2, 1e-9);
  EXPECT_NEAR(c.time_ns, 200 * std::sqrt(2), 1e-9);
}

TEST(Canaries, OfAnAttemptThatWasReplacedAreNotMissing) {
  record::Evidence evidence = evidence_on({});
  record::Trial replaced = evidence.trials[3];
  replaced.outcome = "crashed";
  replaced.canary_missing = "not-reached";
  replaced.process = 2 * replaced.trial - 1;  // an earlier process of the trial
  evidence.trials.insert(evidence.trials.begin() + 3, replaced);
  EXPECT_TRUE(detail::canaries_of(evidence).missing.empty());
  // Of another build, it is no other attempt.
  evidence.trials[3].build = "other";
  EXPECT_EQ(detail::canaries_of(evidence).missing.size(), 1U);
}

// Each trial has a process a boundary, and the kernel takes five times as long by the timer of one.
record::Evidence evidence_of_two_boundaries(double late_factor_of_call) {
  record::Evidence evidence = evidence_of({}, 16);
  Random random(1);
  for (std::uint32_t trial = 1; trial <= 16; ++trial) {
    for (const std::uint32_t process : {2 * trial, 2 * trial + 1}) {
      record::Trial row = told(trial, {}, 0);
      row.process = process;
      row.boundary = process % 2 == 0 ? "device" : "call";
      evidence.trials.push_back(row);
      const bool is_call = process % 2 == 1;
      const double ns = 1000 * (is_call ? 5 * (trial > 8 ? late_factor_of_call : 1) : 1);
      for (const int moment : {0, 1}) {
        add_canary(evidence, trial, process, moment, ns * (1 + 0.01 * random.next_uniform()),
                   "canary-compute", row.boundary, is_call ? "host" : "cupti");
      }
    }
  }
  return evidence;
}

TEST(Canaries, OfOneBoundaryAreNotPooledWithThoseOfAnother) {
  const Canaries canaries = detail::canaries_of(evidence_of_two_boundaries(1));
  ASSERT_EQ(canaries.kernels.size(), 2U);
  EXPECT_EQ(canaries.kernels[0].boundary, "call");
  EXPECT_EQ(canaries.kernels[0].timer, "host");
  EXPECT_NEAR(canaries.kernels[0].time_ns, 5000, 50);
  EXPECT_EQ(canaries.kernels[1].boundary, "device");
  EXPECT_EQ(canaries.kernels[1].timer, "cupti");
  EXPECT_NEAR(canaries.kernels[1].time_ns, 1000, 10);
  for (const CanaryResult& c : canaries.kernels) {
    EXPECT_EQ(c.trials, 16);
    EXPECT_LT(c.range_ns.high / c.range_ns.low, 1.02);
    EXPECT_LT(*c.between_trials_sd, 0.01);
  }
}

TEST(Canaries, AFindingNamesTheBoundaryWhereThereAreSeveral) {
  EXPECT_TRUE(unsteady(evidence_of_two_boundaries(1)).empty());
  const auto findings = unsteady(evidence_of_two_boundaries(1.2));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].text.find("a fixed kernel at the boundary call, took"), std::string::npos)
      << findings[0].text;
  for (const auto& finding :
       unsteady(evidence_on({.factor = [](std::uint32_t t, int) { return t > 8 ? 1.2 : 1.0; }}))) {
    EXPECT_EQ(finding.text.find("boundary"), std::string::npos) << finding.text;
  }
}

TEST(Canaries, StandInTheResultAndChangeNothingElse) {
  const Json without =
      to_json(judge(evidence_of({.ratio = {{"after", 0.5}}}, 16), Ending::complete));
  record::Evidence evidence =
      evidence_on({.factor = [](std::uint32_t, int moment) { return moment == 1 ? 1.5 : 1.0; }});
  evidence.trials[3].canary_missing = "not-reached";
  const Result result = judge(evidence, Ending::complete);
  const Json with = to_json(result);
  EXPECT_EQ(with.at("left_out"),
            to_json(judge(evidence_of({}, 16), Ending::complete)).at("left_out"))
      << "they are no strangers";
  EXPECT_EQ(with.at("comparisons"),
            to_json(judge(evidence_of({}, 16), Ending::complete)).at("comparisons"));
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                          [](const Finding& f) { return f.slug == "machine.unsteady"; }));
  ASSERT_EQ(result.canaries.missing.size(), 1U);
  EXPECT_EQ(result.canaries.missing[0].reason, "not-reached");
  EXPECT_EQ(result.canaries.missing[0].trials, 1);
  EXPECT_EQ(to_json(result_from_json(with, "result.json")), with);
  EXPECT_TRUE(without.at("canaries").at("kernels").empty());
}

}  // namespace
}  // namespace assay::judge
