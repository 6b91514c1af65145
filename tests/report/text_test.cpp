// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/report/charts.hpp"
#include "assay/report/columns.hpp"
#include "assay/report/device_words.hpp"
#include "assay/report/limits_words.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/progress.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

TEST(Columns, CountCodePointsNotBytes) {
  EXPECT_EQ(width_of("12 µs"), 5U);
  Columns columns({false, true});
  columns.add({"a", "1 µs"});
  columns.add({"bc", "10 ns"});
  EXPECT_EQ(columns.lines(0), (std::vector<std::string>{"a    1 µs", "bc  10 ns"}));
}

TEST(Columns, CuttingKeepsWholeCharacters) {
  EXPECT_EQ(cut_to("µµµµ", 4), "µµµµ");
  EXPECT_EQ(cut_to("µµµµ", 3), "µµ…");
  EXPECT_EQ(cut_to("abc", 0), "");
}

TEST(Columns, WrappingBreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrapped("incomprehensible", 5, 0), "incomprehensible\n");
}

TEST(MemoryText, SaysWhatADriverManages) {
  MemoryUse use;
  use.allocated_bytes = 1'000'000;
  use.peak_bytes = 3'000'000;
  use.capacity_bytes = 4'000'000;
  use.capacity_of = "device";
  const std::string fits = "; fits, 1 MB spare (device)";
  const std::string rest = "allocated by Assay 1 MB, in use on the device 3 MB";
  EXPECT_EQ(memory_text(use), rest + fits);
  use.managed_bytes = 0;
  EXPECT_EQ(memory_text(use), rest + fits);
  use.managed_bytes = 2'500'000;
  EXPECT_EQ(
      memory_text(use),
      rest + ", managed memory of its own 2.5 MB (which the driver may keep in the host's memory)" +
          fits);
}

TEST(MarginNote, SaysWhatTheMachineMakesOfTheMargin) {
  experiment::Plan plan;
  plan.protocol.margin = 0.01;
  plan.noise_floor = Missing{"not-measured", "not measured"};
  EXPECT_EQ(margin_note(plan), "Noise floor: not measured.");
  plan.noise_floor = 0.004;
  plan.noise_floor_source = {"2026-11-29T21:44:05+00:00", 3, 64, "c", "0.1.0", "r", "d"};
  EXPECT_EQ(margin_note(plan), "");
  EXPECT_EQ(noise_floor_text(plan), "0.4 % (A against A over 64 trials, measured 2026-11-29)");
  plan.noise_floor = 0.02;
  EXPECT_EQ(margin_note(plan),
            "The margin in force is the noise floor of this machine, 2 % (A against A over 64 "
            "trials, measured 2026-11-29); declared was 1 %.");
  plan.noise_floor = 0.004;
  plan.noise_floor_source->age_days = 31;
  EXPECT_EQ(margin_note(plan),
            "The noise floor was measured 31 days before this plan: `assay doctor --noise` "
            "measures it again.");
  plan.protocol.ignores_noise_floor = true;
  plan.noise_floor = Missing{"ignored", "ignored"};
  EXPECT_EQ(margin_note(plan), "");
}

TEST(LimitsNote, SaysOfWhatTheCeilingsAreAndHowOld) {
  experiment::Plan plan;
  EXPECT_THAT(limits_note(plan),
              testing::HasSubstr("measured on this machine, for the subject's number"));
  plan.ceilings = MachineCeilings{};
  EXPECT_THAT(limits_note(plan), testing::HasSubstr("measured on this device; share"));
  EXPECT_THAT(limits_note(plan), testing::EndsWith("were measured when the plan was made."));
}

judge::CellResult cell_with_advice(const char* estimand) {
  judge::CellResult cell;
  cell.estimand = estimand;
  cell.advice = judge::BlocksAdvice{.taken = 7,
                                    .blocks = 12,
                                    .within_trial_sd = 0.02,
                                    .between_trials_sd = 0.01,
                                    .block_s = 3e-3,
                                    .trial_s = 20e-3};
  return cell;
}

TEST(Advice, SaysWhatItIsForAndWhatWasTaken) {
  EXPECT_EQ(
      advice_sentence(cell_with_advice("mean")),
      "Blocks a trial: 7 were taken, 12 would cost least time for a mean (a block takes 3.000 "
      "ms, a trial 20.00 ms besides, scatter 2 % within and 1 % between trials).");
  EXPECT_THAT(advice_sentence(cell_with_advice("median")),
              testing::EndsWith("between trials). That is derived for means: of medians, as here, "
                                "it is an approximation."));
  auto bounded = cell_with_advice("median");
  bounded.advice->is_bounded = true;
  bounded.advice->taken = 1;
  EXPECT_THAT(advice_sentence(bounded),
              testing::StartsWith("Blocks a trial: 1 was taken; as many as fit would cost least "
                                  "time for a mean ("));
  EXPECT_THAT(advice_sentence(bounded), testing::EndsWith("it is an approximation."));
}

TEST(Progress, SaysTrialDecidedAndTimeLeft) {
  const ProgressState state{.trial = 9,
                            .decided = 3,
                            .comparisons = 8,
                            .open_cells = 2,
                            .cells = 4,
                            .cell = "sum/n=1024/warm/call",
                            .left_s = 249.5};
  EXPECT_EQ(progress_text(state),
            "trial 9, 3 of 8 comparisons decided, 2 of 4 cells open, at most 4 min 10 s left, "
            "sum/n=1024/warm/call");
}

TEST(Progress, SaysOneOfEachInTheSingular) {
  EXPECT_EQ(progress_text({.trial = 1, .comparisons = 1, .open_cells = 1, .cells = 1, .cell = ""}),
            "trial 1, 0 of 1 comparison decided, 1 of 1 cell open");
}

TEST(Progress, OnATerminalStaysOnOneLine) {
  const std::string line = progress_line({.trial = 9, .cell = std::string(200, 'x')}, 40);
  EXPECT_EQ(line.front(), '\r');
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(width_of(line.substr(1, line.find('\x1b') - 1)), 39U);
}

TEST(Progress, InALogComesAtMostEveryTenSeconds) {
  PlainProgress plain;
  EXPECT_TRUE(plain.line({}, 100).has_value());
  EXPECT_FALSE(plain.line({}, 109.9).has_value());
  EXPECT_TRUE(plain.line({}, 110).has_value());
  EXPECT_FALSE(plain.line({}, 111).has_value());
}

TEST(Progress, DurationsAreRoundedUp) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(60), "1 min 0 s");
  EXPECT_EQ(duration_text(3900), "1 h 5 min");
  EXPECT_EQ(duration_text(-1), "0 s");
}

TEST(Markup, EscapesAndReplacesControlCharacters) {
  EXPECT_EQ(escaped("a<b>&\"'\n"), "a&lt;b&gt;&amp;&quot;&#39;\n");
  EXPECT_EQ(escaped("\x1b"), "\xEF\xBF\xBD");
}

TEST(Chart, ASampleFarOutsideIsCountedAndDrawnAtTheEdge) {
  std::vector<double> values(200, 100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<double>(i % 7);
  values[50] = 10'000;
  const std::string chart = time_order_chart("t", {{"a", values, {0, 100}}}, 1000);
  EXPECT_NE(chart.find("1 beyond"), std::string::npos);
  EXPECT_NE(chart.find("class=\"beyond\""), std::string::npos);
}

TEST(Chart, ConstantAndEmptyLanesAreDrawn) {
  for (const std::string& chart : {time_order_chart("t", {{"a", {5, 5, 5}, {}}, {"b", {}, {}}}, 10),
                                   distribution_chart("t", {{"a", {5, 5, 5}, {}}, {"b", {}, {}}}),
                                   ratio_chart("t", {{"a", {1, 1}, {}}, {"b", {}, {}}}, 0)}) {
    EXPECT_NE(chart.find("</svg>"), std::string::npos);
    EXPECT_EQ(chart.find("nan"), std::string::npos);
    EXPECT_EQ(chart.find("-2147483648"), std::string::npos);
  }
}

}  // namespace
}  // namespace assay::report
