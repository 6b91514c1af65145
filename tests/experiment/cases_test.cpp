// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Experiment experiment_with(const std::string& text) {
  return parse_experiment("name = \"t\"\n" + text, "e.toml");
}

std::vector<std::string> asked(const Experiment& experiment, const ProgramDescription& program,
                               const std::string& problem = "sum") {
  std::vector<std::string> ids;
  const auto cases = cases_asked(experiment, program);
  const auto found = cases.find(problem);
  if (found == cases.end()) return {"its own"};
  for (const Case& one : found->second) ids.push_back(one.id());
  return ids;
}

TEST(CasesAsked, AreTheProgramsOwnUnlessSaidOtherwise) {
  EXPECT_TRUE(cases_asked(experiment_with(""), sum_program()).empty());
}

TEST(CasesAsked, ReplaceTheAxesThatTheFileNames) {
  EXPECT_THAT(asked(experiment_with("[cases]\nn = [1, 2]\n"), sum_program()),
              ElementsAre("n=1 dtype=f32", "n=2 dtype=f32"));
  EXPECT_THAT(asked(experiment_with("[cases]\ndtype = [\"f32\", \"f64\"]\nn = 3\n"), sum_program()),
              ElementsAre("n=3 dtype=f32", "n=3 dtype=f64"));
}

TEST(CasesAsked, LeaveProblemsWithoutTheAxisAlone) {
  auto other = sum_problem({"a", "b"});
  other.name = "other";
  other.axes[0].name = "m";
  const auto program = program_of({sum_problem({"a", "b"}), other});
  const Experiment experiment = experiment_with("[cases]\nn = [1]\n");
  EXPECT_THAT(asked(experiment, program), ElementsAre("n=1 dtype=f32"));
  EXPECT_THAT(asked(experiment, program, "other"), ElementsAre("its own"));
}

TEST(CasesAsked, RefuseAnAxisThatNoProblemHas) {
  EXPECT_THAT(bad_input([] { cases_asked(experiment_with("[cases]\nm = 1\n"), sum_program()); }),
              StartsWith("e.toml:3: cases.m: no problem has an axis 'm'; expected one of the "
                         "program's axes: n (of sum), dtype (of sum)"));
}

TEST(CasesAsked, RefuseValuesOfAnotherType) {
  EXPECT_THAT(
      bad_input([] { cases_asked(experiment_with("[cases]\nn = [\"x\"]\n"), sum_program()); }),
      StartsWith("e.toml:3: cases.n: x is not what the axis n holds; expected integers such as 4"));
  EXPECT_THAT(
      bad_input([] { cases_asked(experiment_with("[cases]\nn = [0.5]\n"), sum_program()); }),
      HasSubstr("expected integers"));
}

TEST(CasesAsked, TurnIntegersIntoNumbersWhereTheAxisHoldsThem) {
  auto program = sum_program();
  program.problems[0].axes[0].values = {0.5};
  EXPECT_THAT(asked(experiment_with("[cases]\nn = [2]\n"), program),
              ElementsAre("n=2.0 dtype=f32"));
}

TEST(CasesAsked, RefuseAProductThatNobodyCanMeasure) {
  auto program = sum_program();
  for (int i = 0; i < 3; ++i) {
    AxisDescription axis{"a" + std::to_string(i), {}};
    for (std::int64_t value = 0; value < 100; ++value) axis.values.emplace_back(value);
    program.problems[0].axes.push_back(axis);
  }
  EXPECT_THAT(bad_input([&] { cases_asked(experiment_with("[cases]\nn = 1\n"), program); }),
              HasSubstr("more than 100000 cases"));
}

TEST(CasesAsked, PutTuplesInTheOrderOfTheProgramsAxes) {
  EXPECT_THAT(asked(experiment_with("[[case]]\ndtype = \"f32\"\nn = 5\n"), sum_program()),
              ElementsAre("n=5 dtype=f32"));
}

TEST(CasesAsked, GiveTuplesToTheProblemsWithExactlyTheirAxes) {
  auto other = sum_problem({"a", "b"});
  other.name = "other";
  other.axes.pop_back();
  const auto program = program_of({sum_problem({"a", "b"}), other});
  const Experiment experiment = experiment_with("[[case]]\nn = 5\n");
  EXPECT_THAT(asked(experiment, program, "other"), ElementsAre("n=5"));
  EXPECT_THAT(asked(experiment, program), ElementsAre());
  EXPECT_THAT(bad_input([] { cases_asked(experiment_with("[[case]]\nn = 5\n"), sum_program()); }),
              StartsWith("e.toml:2: case[0]: no problem has exactly the axes of 'n=5'"));
}

TEST(CasesAsked, FollowTheCommandLineBeforeTheFile) {
  Experiment experiment = experiment_with("[cases]\nn = [1, 2]\n");
  experiment.cases.axis_overrides = {parse_axis_option("n=[7]")};
  EXPECT_THAT(asked(experiment, sum_program()), ElementsAre("n=7 dtype=f32"));
  experiment.cases.axis_overrides = {parse_axis_option("m=[7]")};
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { cases_asked(experiment, sum_program()); }),
              StartsWith("--axis: no problem has an axis 'm'"));
}

TEST(CasesAsked, PickAmongTuplesByTheCommandLine) {
  Experiment experiment =
      experiment_with("[[case]]\nn = 5\ndtype = \"f32\"\n[[case]]\nn = 6\ndtype = \"f32\"\n");
  experiment.cases.axis_overrides = {parse_axis_option("n=[6, 7]")};
  EXPECT_THAT(asked(experiment, sum_program()), ElementsAre("n=6 dtype=f32"));
}

}  // namespace
}  // namespace assay::experiment
