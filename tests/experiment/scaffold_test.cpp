// SPDX-License-Identifier: MIT
#include "assay/experiment/scaffold.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Scaffold : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("assay_scaffold_" +
       std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(Scaffold, IsAFolderWithAnExperimentThatReads) {
  write_scaffold(folder_, "my_sum");
  const Experiment experiment = read_experiment(folder_ / "experiment.toml");
  EXPECT_EQ(experiment.name, "my_sum");
  EXPECT_EQ(experiment.builds[0].program, folder_ / "build" / "my_sum");
  EXPECT_TRUE(experiment.question.is_registered());
  ASSERT_EQ(experiment.predictions.size(), 1U);
  const std::string program = text_of(folder_ / "my_sum.cpp");
  for (const std::string& name : {experiment.baseline, experiment.predictions[0].candidate}) {
    EXPECT_THAT(program, HasSubstr("sum.subject(\"" + name + "\""));
  }
  EXPECT_THAT(program, HasSubstr("sum.axis(\"" + experiment.cases.axes.at(0).first + "\""));
  EXPECT_THAT(text_of(folder_ / "CMakeLists.txt"),
              HasSubstr("assay_add_program(my_sum SOURCES my_sum.cpp)"));
  EXPECT_THAT(text_of(folder_ / "README.md"), HasSubstr("assay run experiment.toml"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_THAT(text_of(entry.path()), Not(HasSubstr("@NAME@"))) << entry.path();
  }
}

TEST_F(Scaffold, OverwritesNothing) {
  std::filesystem::create_directories(folder_);
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { write_scaffold(folder_, "my_sum"); }),
              HasSubstr("exists already"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Scaffold, RefusesNamesThatCMakeCannotTake) {
  for (const char* name : {"", "test", "a b", "1st", "../x", "a/b", "-x", "é"}) {
    EXPECT_THAT(message_of(ErrorKind::usage, [&] { write_scaffold(folder_, name); }),
                HasSubstr("cannot make an experiment called"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(Scaffold, SaysWhatItCannotWrite) {
  std::ofstream(folder_) << "a file";
  EXPECT_THAT(message_of(ErrorKind::write, [&] { write_scaffold(folder_ / "x", "x"); }),
              HasSubstr("cannot make the folder"));
}

TEST(ExperimentText, ReadsBackAsTheSameExperiment) {
  Experiment light = experiment_of_program("bin/my \"program\"");
  light.protocol.sample_s = 1.1e-3;
  light.protocol.budget_s = 90;
  light.protocol.ignores_noise_floor = true;
  const Plan plan = plan_of(light, sum_program());
  const std::string text = experiment_text_from_plan(plan);
  const Experiment read = parse_experiment(text, "e.toml");
  EXPECT_EQ(read.name, plan.name);
  EXPECT_EQ(read.baseline, "naive");
  EXPECT_FALSE(read.question.is_registered());
  EXPECT_THAT(text, HasSubstr("# hypothesis = \"\""));
  EXPECT_THAT(text, HasSubstr("# candidate = \"fast\""));
  EXPECT_THAT(text, HasSubstr("budget = \"90s\""));
  const Plan again = plan_of(read, sum_program());
  EXPECT_EQ(protocol_hash(again), protocol_hash(plan));
  EXPECT_EQ(again.protocol.budget_s, 90);
  ASSERT_EQ(again.cells.size(), plan.cells.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    EXPECT_EQ(again.cells[i].id(), plan.cells[i].id());
  }
}

TEST(ExperimentText, WritesTuplesWhereTheCasesAreNoProduct) {
  auto program = sum_program();
  program.problems[0].cases.push_back(case_description(
      Case({{"n", std::int64_t{4}}, {"dtype", std::string("f64")}}), {"naive", "fast"}));
  const Plan plan = plan_of(experiment_of_program("p"), program);
  const Experiment read = parse_experiment(experiment_text_from_plan(plan), "e.toml");
  EXPECT_THAT(read.cases.axes, ElementsAre());
  EXPECT_EQ(plan_of(read, program).cells.size(), 3U);
}

TEST(ExperimentText, OfAPlanWithoutCellsIsRefused) {
  Plan plan = plan_of(experiment_of_program("p"), sum_program());
  plan.cells.clear();
  EXPECT_THAT(bad_input([&] { experiment_text_from_plan(plan); }), HasSubstr("it has no cells"));
  plan.descriptions.clear();
  EXPECT_THAT(bad_input([&] { experiment_text_from_plan(plan); }), HasSubstr("it has no cells"));
}

std::vector<std::string> ids_of(const Plan& plan) {
  std::vector<std::string> ids;
  for (const Cell& cell : plan.cells) ids.push_back(cell.id());
  return ids;
}

// As a worker would answer: the cases that the experiment asks for, where it asks for any.
Plan plan_as_asked(const Experiment& experiment, ProgramDescription program) {
  for (const auto& [name, asked] : cases_asked(experiment, program)) {
    auto& cases = program.problems.front().cases;
    cases.erase(std::remove_if(cases.begin(), cases.end(),
                               [&](const CaseDescription& one) {
                                 return std::find(asked.begin(), asked.end(), one.the_case) ==
                                        asked.end();
                               }),
                cases.end());
  }
  return plan_of(experiment, program);
}

// Whatever a filter leaves, the file makes the same cells or says that it does not.
TEST(ExperimentText, MeasuresWhatAFilterLeft) {
  auto program = sum_program();
  program.boundaries = {"call", "device"};
  program.timers.front().boundaries = program.boundaries;
  int repeated = 0;
  for (const char* text : {"n=4 ", "n=8 ", "/cold/", "/warm/device", "n=4 dtype=f32/cold/call",
                           "call", "sum/", "\n"}) {
    Experiment experiment = parse_experiment(
        "name = \"t\"\nprogram = \"p\"\n[protocol]\nstate = [\"warm\", \"cold\"]\n"
        "boundary = [\"call\", \"device\"]\n",
        "e.toml");
    experiment.cases.filter = containing(text);
    if (std::string(text) == "\n") {
      // No product: one case in one state, the other in the other one.
      experiment.cases.filter.matches = [](const std::string& id) {
        return (id.find("n=4 ") != std::string::npos) == (id.find("/cold/") != std::string::npos);
      };
    }
    const Plan plan = plan_of(experiment, program);
    const std::string written = experiment_text_from_plan(plan);
    const bool is_told = written.find("LEFT OUT: the run had --filter") != std::string::npos;
    const Plan again = plan_as_asked(parse_experiment(written, "e.toml"), program);
    EXPECT_NE(ids_of(again) == ids_of(plan), is_told) << text << written;
    repeated += is_told ? 0 : 1;
  }
  EXPECT_EQ(repeated, 7);
}

TEST(ExperimentText, NamesTheFilterWhereThereAreSeveralProblems) {
  auto other = sum_problem({"naive", "fast"});
  other.name = "other";
  Experiment experiment = experiment_of_program("p");
  experiment.cases.filter = containing("sum/");
  const Plan plan =
      plan_of(experiment, program_of({sum_problem({"naive", "fast"}), std::move(other)}));
  EXPECT_THAT(experiment_text_from_plan(plan),
              HasSubstr("LEFT OUT: the run had --filter \"sum/\""));
}

TEST(ExperimentText, IsRefusedWhereNoFileCanHoldThePlan) {
  Plan plan = plan_of(experiment_of_program("p"), sum_program());
  plan.name = "two\nlines";
  EXPECT_THAT(bad_input([&] { experiment_text_from_plan(plan); }),
              HasSubstr("holds what no experiment file can"));
}

TEST(ExperimentText, KeepsTwoBuilds) {
  const Experiment experiment = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\n[build.baseline]\ncommand = \"make\"\n[build.candidate]\n",
      "/x/e.toml");
  const Plan plan = make_plan(experiment, {sum_program(), sum_program()}, {}, "now");
  const Experiment read = parse_experiment(experiment_text_from_plan(plan), "/y/e.toml");
  ASSERT_EQ(read.builds.size(), 2U);
  EXPECT_EQ(read.builds[0].command, "make");
  EXPECT_EQ(read.builds[1].program, "/x/build/p");
}

}  // namespace
}  // namespace assay::experiment
