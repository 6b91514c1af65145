// SPDX-License-Identifier: MIT
#include "assay/experiment/experiment.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* whole_file = R"(name = "add-rmsnorm"
program = "add_rmsnorm"
baseline = "unfused"

[question]
decision = "Ship the fused kernel."
question = "Does fusion explain the time?"
hypothesis = "Fusing removes one write and one read."
if_supported = "Make it the default."
if_rejected = "Keep the two kernels."
[[question.alternative]]
explanation = "Fewer launches, not fewer bytes."
told_apart_by = "The ratio stays as predicted."
metrics = ["dram__bytes_read.sum"]

[[prediction]]
candidate = "fused"
where = "rows = 4096"
ratio = [0.55, 0.70]
probability = { faster = 0.95, equivalent = 0.03, slower = 0.02 }
because = "work-model"

[protocol]
boundary = ["device"]
state = ["cold", "warm"]
looks = [8, 16, 32, 64, 128]
alpha = 0.05
margin = 0.01
precision = 0.005
blocks = 20
sample = "1ms"
budget = "5min"
seed = 20261129
timer = "tsc"
warmup_blocks_max = 10
timeout = "30s"
noise_floor = "ignore"

[layout]
replicates = 8

[cases]
rows = [4096]
cols = [8191, 8192, 8193]
eps = 0.5
n = { pow2 = [1, 3], tails = [-1, 1] }

[publication]
author = "A. Author"
affiliation = "A place"
licence = "CC-BY-4.0"
)";

TEST(Experiment, HoldsEveryKeyOfTheFile) {
  const Experiment e = parse_experiment(whole_file, "dir/e.toml");
  EXPECT_EQ(e.name, "add-rmsnorm");
  EXPECT_EQ(e.file_text, whole_file);
  EXPECT_EQ(e.baseline, "unfused");
  ASSERT_EQ(e.builds.size(), 1U);
  EXPECT_EQ(e.builds[0].name, "program");
  EXPECT_EQ(e.builds[0].program, "dir/build/add_rmsnorm");
  EXPECT_TRUE(e.question.is_registered());
  EXPECT_EQ(e.question.decision, "Ship the fused kernel.");
  EXPECT_EQ(e.question.question, "Does fusion explain the time?");
  EXPECT_EQ(e.question.hypothesis, "Fusing removes one write and one read.");
  EXPECT_EQ(e.question.if_supported, "Make it the default.");
  EXPECT_EQ(e.question.if_rejected, "Keep the two kernels.");
  ASSERT_EQ(e.question.alternatives.size(), 1U);
  EXPECT_EQ(e.question.alternatives[0].explanation, "Fewer launches, not fewer bytes.");
  EXPECT_EQ(e.question.alternatives[0].told_apart_by, "The ratio stays as predicted.");
  EXPECT_THAT(e.question.alternatives[0].metrics, ElementsAre("dram__bytes_read.sum"));
  ASSERT_EQ(e.predictions.size(), 1U);
  const Prediction& prediction = e.predictions[0];
  EXPECT_EQ(prediction.candidate, "fused");
  EXPECT_EQ(prediction.where, "rows = 4096");
  EXPECT_EQ(prediction.ratio_low, 0.55);
  EXPECT_EQ(prediction.ratio_high, 0.70);
  ASSERT_TRUE(prediction.probability.has_value());
  EXPECT_EQ(prediction.probability->faster, 0.95);
  EXPECT_EQ(prediction.probability->equivalent, 0.03);
  EXPECT_EQ(prediction.probability->slower, 0.02);
  EXPECT_EQ(prediction.because, "work-model");
  EXPECT_EQ(e.layout_replicates, 8);
  ASSERT_TRUE(e.publication.has_value());
  EXPECT_EQ(e.publication->author, "A. Author");
  EXPECT_EQ(e.publication->affiliation, "A place");
  EXPECT_EQ(e.publication->licence, "CC-BY-4.0");
  EXPECT_THAT(e.defaults_used, ElementsAre());
}

TEST(Experiment, HoldsEveryRuleOfTheProtocol) {
  const Protocol p = parse_experiment(whole_file, "dir/e.toml").protocol;
  EXPECT_THAT(p.boundaries, ElementsAre("device"));
  EXPECT_THAT(p.states, ElementsAre("cold", "warm"));
  EXPECT_THAT(p.looks, ElementsAre(8, 16, 32, 64, 128));
  EXPECT_EQ(p.alpha, 0.05);
  EXPECT_EQ(p.margin, 0.01);
  EXPECT_EQ(p.precision, 0.005);
  EXPECT_EQ(p.blocks, 20);
  EXPECT_EQ(p.sample_s, 1e-3);
  EXPECT_EQ(p.budget_s, 300);
  EXPECT_EQ(p.seed, 20261129U);
  EXPECT_EQ(p.timer, "tsc");
  EXPECT_EQ(p.warmup_blocks_max, 10);
  EXPECT_EQ(p.timeout_s, 30);
  EXPECT_TRUE(p.ignores_noise_floor);
}

TEST(Experiment, KeepsTheAxesInTheOrderOfTheFile) {
  const auto axes = parse_experiment(whole_file, "dir/e.toml").cases.axes;
  ASSERT_EQ(axes.size(), 4U);
  EXPECT_EQ(axes[0].first, "rows");
  EXPECT_THAT(axes[0].second, ElementsAre(AxisValue(std::int64_t{4096})));
  EXPECT_EQ(axes[1].first, "cols");
  EXPECT_EQ(axes[1].second.size(), 3U);
  EXPECT_EQ(axes[2].first, "eps");
  EXPECT_THAT(axes[2].second, ElementsAre(AxisValue(0.5)));
  EXPECT_EQ(axes[3].first, "n");
  std::string values;
  for (const AxisValue& value : axes[3].second) values += to_text(value) + " ";
  EXPECT_EQ(values, "1 2 3 4 5 7 8 9 ");
}

TEST(Experiment, ListsEveryDefaultItUsed) {
  const Experiment e = parse_experiment("name = \"t\"\nprogram = \"p\"\n", "e.toml");
  EXPECT_THAT(e.defaults_used,
              testing::UnorderedElementsAre("baseline", "protocol.boundary", "protocol.state",
                                            "protocol.looks", "protocol.alpha", "protocol.margin",
                                            "protocol.blocks", "protocol.sample", "protocol.budget",
                                            "protocol.seed", "protocol.timer",
                                            "protocol.warmup_blocks_max", "protocol.timeout",
                                            "protocol.noise_floor", "layout.replicates"));
  EXPECT_FALSE(e.protocol.ignores_noise_floor);
  EXPECT_FALSE(e.question.is_registered());
  EXPECT_EQ(e.protocol.seed, 0U);
  EXPECT_EQ(e.builds[0].program, "./build/p");
}

TEST(Experiment, AcceptsTheSmallestLookThatCanDecide) {
  const auto first_look = [](const std::string& protocol) {
    return parse_experiment("name = \"t\"\n[protocol]\n" + protocol, "e.toml")
        .protocol.looks.front();
  };
  EXPECT_EQ(first_look("looks = [8, 16, 32, 64, 128]\nalpha = 0.05\n"), 8);
  EXPECT_EQ(first_look("looks = [6]\nalpha = 0.05\n"), 6);  // 2/2^6 = 0.031
}

TEST(Experiment, ReadsTuplesInsteadOfAProduct) {
  const Experiment e = parse_experiment(
      "name = \"t\"\n[[case]]\nkernel = 3\ndtype = \"f32\"\n[[case]]\nkernel = 5\ndtype = "
      "\"f32\"\n",
      "e.toml");
  ASSERT_EQ(e.cases.tuples.size(), 2U);
  EXPECT_EQ(e.cases.tuples[1].id(), "kernel=5 dtype=f32");
}

TEST(Experiment, PutsTheBaselineBuildFirst) {
  const Experiment e = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\n[build.candidate]\ncommand = \"make\"\ndir = \"new\"\n"
      "[build.baseline]\ndir = \"old\"\nprogram = \"/abs/q\"\n",
      "x/e.toml");
  ASSERT_EQ(e.builds.size(), 2U);
  EXPECT_EQ(e.builds[0].name, "baseline");
  EXPECT_EQ(e.builds[0].program, "/abs/q");
  EXPECT_EQ(e.builds[1].name, "candidate");
  EXPECT_EQ(e.builds[1].command, "make");
  EXPECT_EQ(e.builds[1].directory, "x/new");
  EXPECT_EQ(e.builds[1].program, "x/new/build/p");
}

TEST(Experiment, PrefersAProgramBesideTheFile) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "assay_beside";
  std::filesystem::create_directories(folder / "p_folder");
  std::ofstream(folder / "p") << "x";
  const auto program = [&](const std::string& name) {
    return parse_experiment("name = \"t\"\nprogram = \"" + name + "\"\n", folder / "e.toml")
        .builds[0]
        .program;
  };
  EXPECT_EQ(program("p"), folder / "p");
  EXPECT_EQ(program("p_folder"), folder / "build" / "p_folder");
  std::filesystem::remove_all(folder);
}

TEST(Experiment, OfAProgramTakesAllDefaults) {
  const Experiment e = experiment_of_program("bin/my program");
  EXPECT_EQ(e.name, "my_program");
  EXPECT_TRUE(e.file.empty());
  EXPECT_TRUE(e.file_text.empty());
  EXPECT_EQ(e.builds[0].program, "bin/my program");
  EXPECT_EQ(experiment_of_program("prog").builds[0].program, "./prog");
  EXPECT_THAT(e.defaults_used, Contains("protocol.alpha"));
  EXPECT_THAT(e.defaults_used, Contains("protocol.seed"));
  EXPECT_THAT(e.protocol.states, ElementsAre("warm"));
}

TEST(Experiment, TellsWhereAKeyStands) {
  const Experiment e = parse_experiment(whole_file, "dir/e.toml");
  EXPECT_EQ(e.place_of("cases.cols"), "dir/e.toml:44: cases.cols");
  EXPECT_EQ(e.place_of("prediction[0].where"), "dir/e.toml:18: prediction[0].where");
  EXPECT_EQ(experiment_of_program("p").place_of("baseline"), "baseline");
}

TEST(Duration, IsANumberWithAUnit) {
  EXPECT_EQ(parse_duration_s("1ms", "w"), 1e-3);
  EXPECT_EQ(parse_duration_s("300us", "w"), 3e-4);
  EXPECT_EQ(parse_duration_s("300µs", "w"), 3e-4);
  EXPECT_EQ(parse_duration_s("250 ns", "w"), 2.5e-7);
  EXPECT_EQ(parse_duration_s("2.5s", "w"), 2.5);
  EXPECT_EQ(parse_duration_s("5min", "w"), 300);
  EXPECT_EQ(parse_duration_s("1h", "w"), 3600);
}

TEST(Duration, RefusesAllElse) {
  for (const char* text : {"", "1", "ms", "-1ms", "0ms", "1  ms", "1ms ", "1e3s", "1.2.3s", "1mss",
                           ".", "inf s", "nans", "0x1s"}) {
    EXPECT_THAT(bad_input([&] { parse_duration_s(text, "e.toml:3: k"); }),
                testing::StartsWith("e.toml:3: k: '" + std::string(text) + "' is no duration"));
  }
}

TEST(AxisOption, TakesWordsAsAShellLeavesThem) {
  EXPECT_EQ(parse_axis_option("n=1024"), AxisChoice("n", {std::int64_t{1024}}));
  EXPECT_EQ(parse_axis_option("n=[1, 2]"), AxisChoice("n", {std::int64_t{1}, std::int64_t{2}}));
  EXPECT_EQ(parse_axis_option("d=[f32,bf16]"),
            AxisChoice("d", {std::string("f32"), std::string("bf16")}));
  EXPECT_EQ(parse_axis_option("d=[\"f32\"]"), AxisChoice("d", {std::string("f32")}));
  EXPECT_EQ(parse_axis_option("x=0.5"), AxisChoice("x", {0.5}));
  EXPECT_EQ(parse_axis_option("n={ pow2 = [1, 2] }"),
            AxisChoice("n", {std::int64_t{2}, std::int64_t{4}}));
}

TEST(AxisOption, RefusesWhatIsNoChoice) {
  for (const char* text : {"", "n", "n=", "=3", "n=[]", "n=[1,,2]", "n=[1,1]", "n=[1,x]", "n={",
                           "n=\"a b\"", "n=[1", "a b=1", "n=\"a\"\nb=1"}) {
    EXPECT_THAT(message_of(ErrorKind::usage, [&] { parse_axis_option(text); }),
                HasSubstr("cannot read --axis"))
        << text;
  }
}

}  // namespace
}  // namespace assay::experiment
