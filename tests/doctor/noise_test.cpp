// SPDX-License-Identifier: MIT
#include "assay/doctor/noise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/judge/judge.hpp"
#include "assay/stats/student.hpp"
#include "synthetic.hpp"

namespace assay::doctor {
namespace {

using judge_test::Synthetic;
using testing::ElementsAre;
using testing::HasSubstr;

Synthetic a_against_a() {
  return {.cases = {"n=1024", "n=4096"},
          .subjects = {"A", "A2"},
          .looks = {16},
          .margin = 0,
          .predicted = false};
}

NoiseOfRecord noise_after(const Synthetic& synthetic, std::uint32_t trials) {
  const record::Evidence evidence = judge_test::evidence_of(synthetic, trials);
  return noise_of(evidence, judge::judge(evidence, judge::Ending::complete));
}

TEST(Noise, FollowsFromTheRecord) {
  const record::Evidence evidence = judge_test::evidence_of(a_against_a(), 16);
  const judge::Result result = judge::judge(evidence, judge::Ending::complete);
  const NoiseOfRecord noise = noise_of(evidence, result);
  EXPECT_THAT(noise.not_measured, ElementsAre());
  ASSERT_EQ(noise.kernels.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const env::KernelNoise& kernel = noise.kernels[i].noise;
    const judge::ComparisonResult& comparison = result.comparisons[i];
    EXPECT_EQ(kernel.cell, comparison.cell);
    EXPECT_EQ(kernel.trials, 16);
    EXPECT_NEAR(kernel.mean_log_ratio, std::log(*comparison.ratio), 1e-12);
    EXPECT_NEAR(kernel.sd_log_ratio, *comparison.sd_log_ratio, 1e-15);
    EXPECT_NEAR(kernel.call_ns, 10'000, 100);
    const double half_width = (stats::t_quantile(0.995, 15) / 4 + 1.5 * std::log(100) / 16) *
                              kernel.sd_log_ratio;  // Student's, and room for rare slow trials
    EXPECT_NEAR(kernel.floor, std::expm1(std::abs(kernel.mean_log_ratio) + half_width), 1e-12);
    EXPECT_EQ(noise.kernels[i].reservation, "");
  }
}

TEST(Noise, IsExpectedAtTheLooksOfTheDefaultProtocol) {
  const KernelOfRecord kernel = noise_after(a_against_a(), 16).kernels.front();
  std::vector<std::int64_t> trials;
  for (const auto& at : kernel.at) trials.push_back(at.trials);
  EXPECT_THAT(trials, ElementsAre(8, 16, 32, 64, 128));
  EXPECT_EQ(kernel.at[1].equivalence_margin, kernel.noise.floor);
  EXPECT_EQ(kernel.at[1].resolvable, kernel.noise.resolvable);
  for (std::size_t i = 1; i < kernel.at.size(); ++i) {
    EXPECT_LT(kernel.at[i].equivalence_margin, kernel.at[i - 1].equivalence_margin);
    EXPECT_LT(kernel.at[i].resolvable, kernel.at[i - 1].resolvable);
  }
}

TEST(Noise, HasTheLevelOfOneDefaultLook) { EXPECT_DOUBLE_EQ(noise_alpha(), 0.01); }

TEST(Noise, GrowsWithTheSpreadBetweenTrials) {
  Synthetic noisy = a_against_a();
  noisy.sd_trial = 0.03;
  EXPECT_GT(noise_after(noisy, 16).kernels[0].noise.floor,
            5 * noise_after(a_against_a(), 16).kernels[0].noise.floor);
}

TEST(Noise, SaysWhereIdenticalCodeWasCalledDifferent) {
  Synthetic biased = a_against_a();
  biased.ratio = {{"A2", 1.02}};
  const NoiseOfRecord noise = noise_after(biased, 16);
  EXPECT_THAT(noise.kernels[0].reservation, HasSubstr("identical code was called different: A2"));
  EXPECT_GT(noise.kernels[0].noise.floor, 0.02);
}

TEST(Noise, SaysWhereTheControlWasCalledDifferent) {
  Synthetic biased = a_against_a();
  biased.control_ratio = 0.98;
  EXPECT_THAT(noise_after(biased, 16).kernels[0].reservation, HasSubstr("the control"));
}

TEST(Noise, TakesTheTrialsThatABudgetLeft) {
  Synthetic cut = a_against_a();
  cut.looks = {64};
  const NoiseOfRecord noise = noise_after(cut, 20);
  ASSERT_EQ(noise.kernels.size(), 2U);
  EXPECT_EQ(noise.kernels[0].noise.trials, 20);
}

TEST(Noise, SaysNothingOfTooFewTrials) {
  const NoiseOfRecord noise = noise_after(a_against_a(), 7);
  EXPECT_THAT(noise.kernels, testing::IsEmpty());
  EXPECT_THAT(noise.not_measured,
              ElementsAre(HasSubstr("only 7 complete trials; it takes 8"), HasSubstr("only 7")));
}

TEST(Noise, SaysNothingOfAKernelThatIsWrong) {
  record::Evidence evidence = judge_test::evidence_of(a_against_a(), 16);
  evidence.checks.results = {judge_test::check_of("before", "A2", false)};
  const NoiseOfRecord noise = noise_of(evidence, judge::judge(evidence, judge::Ending::complete));
  ASSERT_EQ(noise.kernels.size(), 1U);
  EXPECT_EQ(noise.kernels[0].noise.cell, "sum/n=4096/warm/call");
  EXPECT_THAT(noise.not_measured, ElementsAre(HasSubstr("n=1024")));
}

TEST(NoiseExperiment, TakesEveryTrialAtMarginZero) {
  const experiment::Experiment experiment = noise_experiment("/bin/true", 24);
  EXPECT_THAT(experiment.protocol.looks, ElementsAre(24));
  EXPECT_EQ(experiment.protocol.margin, 0);
  EXPECT_TRUE(experiment.protocol.ignores_noise_floor);
  EXPECT_THROW(noise_experiment("/bin/true", 7), Error);
  EXPECT_THROW(noise_experiment("/bin/true", 1025), Error);
}

NoiseReport report_of(const Synthetic& synthetic) {
  NoiseReport report;
  report.noise = noise_after(synthetic, 16);
  report.floor.emplace();
  report.floor->hostname = "here";
  report.floor->device = "cpu";
  report.floor->floor = 0.00412;
  report.floor->resolvable = 0.0123;
  report.floor->trials = 16;
  report.floor->record = "/records/1";
  report.file = "/state/noise-floor.json";
  return report;
}

TEST(NoiseText, SaysInOneLineWhatTheMachineCanTell) {
  const std::string text = noise_text(report_of(a_against_a()));
  EXPECT_THAT(text,
              HasSubstr("This machine can tell 1.2 % in 16 trials. Its noise floor is 0.41 %"));
  EXPECT_THAT(text, HasSubstr("sum/n=4096/warm/call"));
  EXPECT_THAT(text, HasSubstr("/state/noise-floor.json"));
  EXPECT_THAT(text, testing::Not(HasSubstr("reservations")));
}

TEST(NoiseText, ListsTheReservations) {
  Synthetic biased = a_against_a();
  biased.ratio = {{"A2", 1.02}};
  const NoiseReport report = report_of(biased);
  EXPECT_FALSE(report.is_fit());
  EXPECT_THAT(noise_text(report), HasSubstr("Fit with reservations:\n  sum/n=1024/warm/call"));
  EXPECT_EQ(to_json(report).at("reservations").size(), 2U);
  EXPECT_FALSE(to_json(report).at("fit").get<bool>());
  EXPECT_TRUE(to_json(report_of(a_against_a())).at("fit").get<bool>());
}

}  // namespace
}  // namespace assay::doctor
