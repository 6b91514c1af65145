// SPDX-License-Identifier: MIT
//
// Plans of subjects that have a state of their own: what cannot be had of it is left out, and no
// more.
#include <gmock/gmock.h>

#include "assay/experiment/plan.hpp"
#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Each cell with its subjects: "n=4/warm/call: naive fast".
std::vector<std::string> cells_of(const Plan& plan) {
  std::vector<std::string> texts;
  for (const Cell& cell : plan.cells) {
    std::string text = cell.id().substr(4) + ":";
    text.erase(text.find(" dtype=f32"), 10);
    for (const SubjectId& subject : cell.subjects) text += " " + subject.text();
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> left_out_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const LeftOut& left : plan.left_out) names.push_back(left.what);
  return names;
}

// Its cases have 4100 and 8196 bytes; of a cache between the two only the larger one can rotate.
ProgramDescription program_with(std::vector<std::string> subjects, const std::string& subject,
                                const std::string& state) {
  ProgramDescription program = sum_program(std::move(subjects));
  program.device.last_level_cache_bytes = std::int64_t{200000};
  program.problems[0].cases[1].footprint_bytes = 8196;
  for (SubjectDescription& each : program.problems[0].subjects) {
    if (each.name == subject) each.parameters["state"] = state;
  }
  return program;
}

TEST(PlanStates, LeavesOutTheSubjectThatCannotRotateAndKeepsItsNeighbours) {
  const Plan plan = plan_of("", program_with({"naive", "fast", "turning"}, "turning", "rotate"));
  EXPECT_THAT(cells_of(plan),
              ElementsAre("n=4/warm/call: naive fast", "n=8/warm/call: naive fast turning"));
  EXPECT_EQ(plan.comparisons.size(), 3U);
  EXPECT_EQ(plan.cells[0].subject_work.size(), 2U);
  EXPECT_THAT(plan.cells[0].unsupported, IsEmpty());
  EXPECT_THAT(left_out_of(plan), ElementsAre("sum/n=4 dtype=f32/warm/call, turning"));
  EXPECT_THAT(plan.left_out[0].reason,
              AllOf(HasSubstr("'rotate'"), HasSubstr("4100 bytes"), HasSubstr("at most 128")));
}

TEST(PlanStates, LeavesOutTheCellWhoseBaselineOrEveryCandidateCannotRotate) {
  const Plan baseline = plan_of("", program_with({"naive", "fast"}, "naive", "rotate"));
  EXPECT_THAT(cells_of(baseline), ElementsAre("n=8/warm/call: naive fast"));
  EXPECT_THAT(left_out_of(baseline), ElementsAre("sum/n=4 dtype=f32/warm/call"));
  EXPECT_THAT(baseline.left_out[0].reason, HasSubstr("the baseline naive"));
  const Plan candidate = plan_of("", program_with({"naive", "fast"}, "fast", "rotate"));
  EXPECT_THAT(cells_of(candidate), ElementsAre("n=8/warm/call: naive fast"));
  EXPECT_THAT(left_out_of(candidate), ElementsAre("sum/n=4 dtype=f32/warm/call"));
  EXPECT_THAT(candidate.left_out[0].reason,
              AllOf(HasSubstr("no candidate"), HasSubstr("fast: its own state is 'rotate'")));
}

// Each build describes its own subjects, inputs and device.
TEST(PlanStates, AsksTheBuildThatASubjectIsOf) {
  const auto experiment = [](const char* protocol) {
    return parse_experiment(
        std::string("name = \"t\"\nprogram = \"p\"\nbaseline = \"fast\"\n[build.baseline]\n"
                    "[build.candidate]\n") +
            protocol,
        "dir/e.toml");
  };
  const auto planned = [](const Experiment& by, const ProgramDescription& candidate) {
    return make_plan(by, {program_with({"naive", "fast"}, "", ""), candidate}, {"d1", "d2"}, "now");
  };
  const Plan plan = planned(experiment(""), program_with({"naive", "fast"}, "fast", "rotate"));
  EXPECT_THAT(cells_of(plan), ElementsAre("n=8/warm/call: fast@baseline fast@candidate"));
  EXPECT_THAT(plan.left_out.at(0).reason, HasSubstr("fast@candidate: its own state"));

  // And where the cell itself rotates.
  ProgramDescription smaller = program_with({"naive", "fast"}, "", "");
  smaller.problems[0].cases[1].footprint_bytes = 4100;
  smaller.problems[0].states.emplace_back("rotate");
  ProgramDescription first = program_with({"naive", "fast"}, "", "");
  first.problems[0].states.emplace_back("rotate");
  const Experiment rotating = experiment("[protocol]\nstate = [\"warm\", \"rotate\"]\n");
  const Plan both = make_plan(rotating, {first, smaller}, {"d1", "d2"}, "now");
  EXPECT_THAT(left_out_of(both),
              ElementsAre("sum/n=4 dtype=f32/rotate/call", "sum/n=8 dtype=f32/rotate/call"));
}

TEST(PlanStates, LeavesOutOfColdStartsWhoHasAStateOfItsOwn) {
  const auto cold = [](const std::string& subject) {
    ProgramDescription program = program_with({"naive", "fast", "flushed"}, subject, "cold");
    program.boundaries = {"call", "cold-start"};
    for (TimerDescription& timer : program.timers) timer.boundaries = program.boundaries;
    return program;
  };
  constexpr const char* both = "[protocol]\nboundary = [\"call\", \"cold-start\"]\n";
  const Plan plan = plan_of(both, cold("flushed"));
  EXPECT_THAT(cells_of(plan),
              ElementsAre("n=4/warm/call: naive fast flushed", "n=4/fresh/cold-start: naive fast",
                          "n=8/warm/call: naive fast flushed", "n=8/fresh/cold-start: naive fast"));
  EXPECT_THAT(left_out_of(plan), ElementsAre("sum/n=4 dtype=f32/fresh/cold-start, flushed",
                                             "sum/n=8 dtype=f32/fresh/cold-start, flushed"));
  EXPECT_THAT(plan.left_out[0].reason,
              AllOf(HasSubstr("'cold'"), HasSubstr("at another boundary")));
  EXPECT_THAT(
      cells_of(plan_of(both, cold("naive"))),
      ElementsAre("n=4/warm/call: naive fast flushed", "n=8/warm/call: naive fast flushed"));
}

// A slope needs samples of many calls; who is not in the cell does not bind it to one.
TEST(PlanStates, AsksOnlyTheSubjectsOfTheCellWhetherASampleIsOneCall) {
  ProgramDescription program = program_with({"naive", "fast", "flushed"}, "flushed", "cold");
  TimerDescription graph{"graph", {"call"}, 500.0, 1000.0};
  graph.is_slope = true;
  program.timers.push_back(graph);
  constexpr const char* by_graph = "[protocol]\ntimer = \"graph\"\n";
  EXPECT_THAT(bad_input([&] { plan_of(by_graph, program); }), HasSubstr("the subject flushed"));
  for (CaseDescription& described : program.problems[0].cases) {
    described.supported = {"naive", "fast"};
  }
  EXPECT_THAT(cells_of(plan_of(by_graph, program)),
              ElementsAre("n=4/warm/call: naive fast", "n=8/warm/call: naive fast"));
}

}  // namespace
}  // namespace assay::experiment
