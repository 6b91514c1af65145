// SPDX-License-Identifier: MIT
#include "assay/experiment/plan.hpp"

#include <gmock/gmock.h>

#include <set>

#include "assay/base/digest.hpp"
#include "assay/experiment/scaffold.hpp"
#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> result;
  for (const Cell& cell : plan.cells) result.push_back(cell.id());
  return result;
}

std::vector<std::string> names(const Cell& cell) {
  std::vector<std::string> result;
  for (const SubjectId& subject : cell.subjects) result.push_back(subject.text());
  return result;
}

constexpr const char* prediction_of_fast =
    "[[prediction]]\ncandidate = \"fast\"\nratio = [0.5, 0.6]\n";

TEST(Plan, HasACellForEveryCaseStateAndBoundary) {
  auto program = sum_program();
  program.boundaries = {"call", "device"};
  for (TimerDescription& timer : program.timers) timer.boundaries = program.boundaries;
  const Plan plan = plan_of(
      "[protocol]\nstate = [\"cold\", \"warm\"]\nboundary = [\"device\", \"call\"]\n", program);
  EXPECT_THAT(ids(plan),
              ElementsAre("sum/n=4 dtype=f32/cold/device", "sum/n=4 dtype=f32/cold/call",
                          "sum/n=4 dtype=f32/warm/device", "sum/n=4 dtype=f32/warm/call",
                          "sum/n=8 dtype=f32/cold/device", "sum/n=8 dtype=f32/cold/call",
                          "sum/n=8 dtype=f32/warm/device", "sum/n=8 dtype=f32/warm/call"));
  EXPECT_TRUE(plan.cells[0].checked);
  EXPECT_EQ(plan.cells[0].footprint_bytes, 4100);
  EXPECT_EQ(plan.cells[0].work->bytes_read, 4096);
}

TEST(Plan, ResolvesBoundaryTimerAndState) {
  const Plan plan = plan_of("", sum_program());
  EXPECT_THAT(plan.protocol.boundaries, ElementsAre("call"));
  EXPECT_THAT(plan.protocol.states, ElementsAre("warm"));
  EXPECT_EQ(plan.protocol.timer, "monotonic");
  EXPECT_THAT(plan.defaults_used, Contains("protocol.timer"));
  EXPECT_EQ(plan.created_utc, "2026-11-29T21:44:05+00:00");
  EXPECT_FALSE(plan.assay_version.empty());
  EXPECT_EQ(plan.experiment_digest, sha256_hex("name = \"t\"\nprogram = \"p\"\n"));
  EXPECT_THAT(plan.program_digests, ElementsAre("d1"));
}

// A device with two boundaries, of which each timer but the last serves one.
ProgramDescription queue_program() {
  ProgramDescription program = sum_program();
  program.device = {"cuda:0", "A GPU", {{"compute-capability", std::string("9.0")}}};
  program.boundaries = {"device", "call"};
  program.timers = {{"cupti", {"device"}, 32.0, 800.0, true},
                    {"events", {"device"}, 500.0, 5000.0, true},
                    {"host", {"call"}, 1.0, 20.0, false},
                    {"any", {"call", "device"}, 1.0, 20.0, false}};
  return program;
}

// Boundary and timer of each cell, without repetitions.
std::set<std::string> timers_in(const Plan& plan) {
  std::set<std::string> found;
  for (const Cell& cell : plan.cells) found.insert(cell.boundary + " " + cell.timer);
  return found;
}

TEST(Plan, EachBoundaryIsTimedByItsDefaultTimer) {
  const Plan plan = plan_of("[protocol]\nboundary = [\"call\", \"device\"]\n", queue_program());
  EXPECT_THAT(timers_in(plan), ElementsAre("call host", "device cupti"));
  EXPECT_EQ(plan.protocol.timer, "host") << "of the first boundary";
}

TEST(Plan, ATimerThatIsAskedForTimesTheBoundariesThatItServes) {
  const char* both = "[protocol]\nboundary = [\"device\", \"call\"]\n";
  const auto with = [&](const std::string& timer) {
    return timers_in(plan_of(both + ("timer = \"" + timer + "\"\n"), queue_program()));
  };
  EXPECT_THAT(with("events"), ElementsAre("call host", "device events"));
  EXPECT_THAT(with("host"), ElementsAre("call host", "device cupti"));
  EXPECT_THAT(with("any"), ElementsAre("call any", "device any"));
}

TEST(Plan, RefusesATimerThatServesNoneOfTheBoundaries) {
  EXPECT_THAT(bad_input([] {
                plan_of("[protocol]\nboundary = [\"call\"]\ntimer = \"events\"\n", queue_program());
              }),
              AllOf(HasSubstr("protocol.timer"), HasSubstr("no timer 'events'"),
                    HasSubstr("expected one of host, any")));
}

// With a slope beside the timers of intervals.
ProgramDescription slope_program() {
  ProgramDescription program = queue_program();
  TimerDescription graph{"graph", {"device"}, 500.0, 1000.0};
  graph.is_slope = true;
  program.timers.insert(program.timers.begin() + 2, graph);
  return program;
}

constexpr const char* by_graph = "[protocol]\ntimer = \"graph\"\n";

TEST(Plan, TakesASlopeOverWarmCalls) {
  EXPECT_THAT(timers_in(plan_of(by_graph, slope_program())), ElementsAre("device graph"));
  // The other boundary has a timer of its own.
  const Plan both =
      plan_of(by_graph + std::string("boundary = [\"call\", \"device\"]\n"), slope_program());
  EXPECT_THAT(timers_in(both), ElementsAre("call host", "device graph"));
}

TEST(Plan, RefusesASlopeWhereASampleIsOneCall) {
  const auto in_states = [](const std::string& protocol, const ProgramDescription& program) {
    return bad_input([&] { plan_of(by_graph + protocol, program); });
  };
  EXPECT_THAT(in_states("state = [\"warm\", \"cold\"]\n", slope_program()),
              AllOf(HasSubstr("protocol.timer"), HasSubstr("'graph' takes the slope"),
                    HasSubstr("in the state 'cold' a sample is one call"),
                    HasSubstr("expected state = [\"warm\"]"),
                    HasSubstr("timer = \"cupti\" or \"events\" or \"any\"")));
  ProgramDescription in_place = slope_program();
  in_place.problems[0].has_in_place = true;
  EXPECT_THAT(in_states("", in_place), HasSubstr("the problem sum, whose input is written,"));
  ProgramDescription flushed = slope_program();
  flushed.problems[0].subjects[1].parameters["state"] = "cold";
  EXPECT_THAT(in_states("", flushed), HasSubstr("whose state is 'cold',"));
  flushed.problems[0].subjects[1].parameters["state"] = "warm";
  EXPECT_FALSE(plan_of(by_graph, flushed).cells.empty());
}

// Its cases have 4100 and 8196 bytes.
ProgramDescription rotating_program(std::int64_t last_level_cache_bytes) {
  ProgramDescription program = sum_program();
  program.device.last_level_cache_bytes = last_level_cache_bytes;
  program.problems[0].states = {"warm", "cold", "rotate"};
  program.problems[0].cases[1].footprint_bytes = 8196;
  return program;
}

constexpr const char* rotating = "[protocol]\nstate = [\"warm\", \"rotate\"]\n";

TEST(Plan, RotatesWhatIsLargeEnough) {
  EXPECT_EQ(plan_of(rotating, rotating_program(100000)).cells.size(), 4U);
  // Between 127 times the smaller case and 127 times the larger one.
  const Plan plan = plan_of(rotating, rotating_program(200000));
  EXPECT_THAT(ids(plan), ElementsAre("sum/n=4 dtype=f32/warm/call", "sum/n=8 dtype=f32/warm/call",
                                     "sum/n=8 dtype=f32/rotate/call"));
  ASSERT_EQ(plan.left_out.size(), 1U);
  EXPECT_EQ(plan.left_out[0].what, "sum/n=4 dtype=f32/rotate/call");
  EXPECT_THAT(plan.left_out[0].reason,
              AllOf(HasSubstr("4100 bytes"), HasSubstr("at most 128"), HasSubstr("state cold")));
}

TEST(Plan, LeavesOutCellsOfASubjectThatCannotRotate) {
  ProgramDescription program = rotating_program(200000);
  program.problems[0].subjects[1].parameters["state"] = "rotate";
  const Plan plan = plan_of("", program);
  EXPECT_THAT(ids(plan), ElementsAre("sum/n=8 dtype=f32/warm/call"));
}

TEST(Plan, RefusesToRotateWhereNothingCanBe) {
  ProgramDescription program = rotating_program(1 << 30);
  EXPECT_THAT(message_of(ErrorKind::nothing,
                         [&] { plan_of("[protocol]\nstate = [\"rotate\"]\n", program); }),
              HasSubstr("use the state cold, or a case of"));
  program.problems[0].has_tensors = false;
  EXPECT_THAT(bad_input([&] { plan_of(rotating, program); }), HasSubstr("cannot rotate"));
}

TEST(Plan, RefusesAProgramWithoutATimerForABoundary) {
  ProgramDescription program = queue_program();
  program.timers.resize(2);
  EXPECT_THAT(message_of(ErrorKind::worker,
                         [&] { plan_of("[protocol]\nboundary = [\"call\"]\n", program); }),
              HasSubstr("no timer for the boundary call"));
}

TEST(Plan, ReadsTheTimerOfACellBackAndRefusesWhatIsNone) {
  const Plan plan = plan_of("[protocol]\nboundary = [\"device\", \"call\"]\n", queue_program());
  Json json = to_json(plan);
  EXPECT_EQ(timers_in(plan_from_json(json, "plan.json")), timers_in(plan));
  EXPECT_EQ(plan_from_json(json, "plan.json").descriptions.at(0).device.facts.at(0).name,
            "compute-capability");
  for (const Json& timer : {Json(""), Json("a/b"), Json(5), Json("two\nlines")}) {
    json["cells"][0]["timer"] = timer;
    EXPECT_THAT(bad_input([&] { plan_from_json(json, "plan.json"); }), HasSubstr("cells[0]"))
        << timer;
  }
  json["cells"][0].erase("timer");
  EXPECT_THAT(bad_input([&] { plan_from_json(json, "plan.json"); }), HasSubstr("'timer'"));
}

ProgramDescription cold_program() {
  ProgramDescription program = sum_program();
  program.boundaries = {"call", "cold-start"};
  for (TimerDescription& timer : program.timers) timer.boundaries = program.boundaries;
  return program;
}

std::set<std::string> places_of(const Plan& plan) {
  std::set<std::string> places;
  for (const Cell& cell : plan.cells) places.insert(cell.state + "/" + cell.boundary);
  return places;
}

TEST(Plan, AColdStartHasAStateOfItsOwn) {
  const Plan alone = plan_of("[protocol]\nboundary = [\"cold-start\"]\n", cold_program());
  EXPECT_THAT(places_of(alone), ElementsAre("fresh/cold-start"));
  EXPECT_THAT(alone.protocol.states, ElementsAre("fresh"));
  EXPECT_EQ(alone.cells.size(), 2U);
  EXPECT_TRUE(alone.cells.front().is_cold_start());
  const Plan named =
      plan_of("[protocol]\nboundary = [\"cold-start\"]\nstate = [\"fresh\"]\n", cold_program());
  EXPECT_THAT(places_of(named), ElementsAre("fresh/cold-start"));
}

TEST(Plan, BesideAColdStartTheOtherBoundariesKeepTheirStates) {
  const Plan plan =
      plan_of("[protocol]\nboundary = [\"call\", \"cold-start\"]\nstate = [\"warm\", \"cold\"]\n",
              cold_program());
  EXPECT_THAT(places_of(plan), ElementsAre("cold/call", "fresh/cold-start", "warm/call"));
  EXPECT_EQ(plan.cells.size(), 6U) << "of each case one cell is a cold start";
}

TEST(Plan, RefusesAStateBeforeAFirstCall) {
  for (const char* state : {"cold", "warm"}) {
    const std::string message = bad_input([&] {
      plan_of("[protocol]\nboundary = [\"cold-start\"]\nstate = [\"" + std::string(state) + "\"]\n",
              cold_program());
    });
    EXPECT_THAT(message, StartsWith("dir/e.toml:5: protocol.state: the boundary \"cold-start\" has "
                                    "no state " +
                                    std::string(state)));
  }
  EXPECT_THAT(bad_input([] { plan_of("[protocol]\nstate = [\"fresh\"]\n", cold_program()); }),
              HasSubstr("has no state 'fresh'; expected some of warm, cold"));
}

TEST(Plan, AColdStartThatAFilterLeavesAloneCanBeWrittenAgain) {
  Experiment experiment = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\n[protocol]\nboundary = [\"call\", \"cold-start\"]\n",
      "dir/e.toml");
  experiment.cases.filter = containing("cold-start");
  const Plan plan = plan_of(experiment, cold_program());
  EXPECT_THAT(places_of(plan), ElementsAre("fresh/cold-start"));
  const std::string text = experiment_text_from_plan(plan);
  EXPECT_THAT(text, HasSubstr("boundary = [\"cold-start\"]\nstate = [\"fresh\"]\n"));
  EXPECT_THAT(text, HasSubstr("are those that --filter"));
}

TEST(Plan, PutsTheNamedBaselineFirst) {
  EXPECT_THAT(names(plan_of("", sum_program()).cells[0]), ElementsAre("naive", "fast"));
  EXPECT_THAT(names(plan_of("baseline = \"fast\"\n", sum_program()).cells[0]),
              ElementsAre("fast", "naive"));
  EXPECT_THAT(bad_input([] { plan_of("baseline = \"quick\"\n", sum_program()); }),
              StartsWith("dir/e.toml:3: baseline: the problem sum has no subject 'quick'; expected "
                         "one of naive, fast"));
}

TEST(Plan, ComparesEveryCandidateWithTheBaseline) {
  const Plan plan = plan_of("", sum_program({"a", "b", "c"}));
  ASSERT_EQ(plan.comparisons.size(), 4U);
  EXPECT_EQ(plan.comparisons[1].cell, 0U);
  EXPECT_EQ(plan.comparisons[1].candidate, 2U);
  EXPECT_EQ(plan.comparisons[2].cell, 1U);
  EXPECT_EQ(plan.primaries(), 0U);
}

TEST(Plan, LeavesOutWhatTheBaselineDoesNotSupport) {
  auto program = sum_program({"naive", "fast", "other"});
  program.problems[0].cases[0].supported = {"fast", "other"};
  program.problems[0].cases[1].supported = {"naive", "other"};
  const Plan plan = plan_of("", program);
  EXPECT_THAT(ids(plan), ElementsAre("sum/n=8 dtype=f32/warm/call"));
  EXPECT_THAT(names(plan.cells[0]), ElementsAre("naive", "other"));
  EXPECT_THAT(plan.cells[0].unsupported, ElementsAre("fast"));
  ASSERT_EQ(plan.left_out.size(), 1U);
  EXPECT_EQ(plan.left_out[0].what, "sum/n=4 dtype=f32/warm/call");
  EXPECT_EQ(plan.left_out[0].reason, "the baseline naive does not support this case");
}

TEST(Plan, LeavesOutWhereThereIsNothingToCompare) {
  auto program = sum_program();
  program.problems[0].cases[0].supported = {"naive"};
  const Plan plan = plan_of("", program);
  EXPECT_EQ(plan.cells.size(), 1U);
  EXPECT_THAT(plan.left_out[0].reason, HasSubstr("no candidate supports"));
}

TEST(Plan, OfNoCellIsNothing) {
  auto program = sum_program();
  for (auto& one : program.problems[0].cases) one.supported = {"fast"};
  EXPECT_THAT(message_of(ErrorKind::nothing, [&] { plan_of("", program); }),
              HasSubstr("the baseline naive does not support this case"));
}

TEST(Plan, OfOneSubjectNeedsAPrecision) {
  EXPECT_THAT(bad_input([] { plan_of("\n[protocol]\nblocks = 9\n", sum_program({"only"})); }),
              StartsWith("dir/e.toml:4: protocol.precision: missing: the problem sum has one "
                         "subject"));
  const Plan plan = plan_of("[protocol]\nprecision = 0.02\n", sum_program({"only"}));
  EXPECT_EQ(plan.protocol.precision, 0.02);
  EXPECT_THAT(plan.comparisons, ElementsAre());
  EXPECT_EQ(plan.cells.size(), 2U);
}

TEST(Plan, OfOneSubjectOnTheLightPathHasADefaultPrecision) {
  const Plan plan = plan_of(experiment_of_program("bin/p"), sum_program({"only"}));
  EXPECT_EQ(plan.protocol.precision, 0.005);
  EXPECT_THAT(plan.defaults_used, Contains("protocol.precision"));
  EXPECT_EQ(plan.experiment_digest, "");
  EXPECT_FALSE(plan_of(experiment_of_program("p"), sum_program()).protocol.precision.has_value());
}

TEST(Plan, RefusesWhatTheDeviceDoesNotOffer) {
  EXPECT_THAT(
      bad_input([] { plan_of("[protocol]\nboundary = [\"device\"]\n", sum_program()); }),
      StartsWith("dir/e.toml:4: protocol.boundary: 'device' is not supported by this version on "
                 "the device cpu; expected call"));
  EXPECT_THAT(bad_input([] { plan_of("[protocol]\ntimer = \"cupti\"\n", sum_program()); }),
              StartsWith("dir/e.toml:4: protocol.timer: the device cpu has no timer 'cupti'; "
                         "expected one of monotonic, tsc"));
}

TEST(Plan, RefusesAStateThatAProblemDoesNotHave) {
  EXPECT_THAT(bad_input([] { plan_of("[protocol]\nstate = [\"rotate\"]\n", sum_program()); }),
              StartsWith("dir/e.toml:4: protocol.state: the problem sum has no state 'rotate'; "
                         "expected some of warm, cold"));
  auto program = sum_program();
  program.problems[0].has_tensors = false;
  EXPECT_THAT(bad_input([&] { plan_of("[protocol]\nstate = [\"cold\"]\n", program); }),
              HasSubstr("nothing to flush"));
}

TEST(Plan, MakesThePredictedComparisonsPrimaries) {
  const Plan plan = plan_of(std::string(prediction_of_fast) + "where = \"n = 8\"\n", sum_program());
  ASSERT_EQ(plan.comparisons.size(), 2U);
  EXPECT_FALSE(plan.comparisons[0].prediction.has_value());
  EXPECT_EQ(plan.comparisons[1].prediction, 0U);
  EXPECT_EQ(plan.primaries(), 1U);
}

TEST(Plan, LetsAPredictionNameTheState) {
  const Plan plan = plan_of(std::string(prediction_of_fast) +
                                "where = \"state = cold\"\n[protocol]\nstate = [\"cold\", "
                                "\"warm\"]\n",
                            sum_program());
  EXPECT_EQ(plan.primaries(), 2U);
  EXPECT_EQ(plan.cells[plan.comparisons[0].cell].state, "cold");
  EXPECT_TRUE(plan.comparisons[0].prediction.has_value());
}

TEST(Plan, RefusesAPredictionOfNothing) {
  const auto trouble = [](const std::string& prediction) {
    return bad_input(
        [&] { plan_of("[[prediction]]\nratio = [1, 2]\n" + prediction, sum_program()); });
  };
  EXPECT_THAT(trouble("candidate = \"fats\"\n"),
              StartsWith("dir/e.toml:5: prediction[0].candidate: 'fats' is no candidate; expected "
                         "one of fast"));
  EXPECT_THAT(trouble("candidate = \"naive\"\n"), HasSubstr("'naive' is no candidate"));
  EXPECT_THAT(trouble("candidate = \"fast\"\nwhere = \"m = 3\"\n"),
              StartsWith("dir/e.toml:6: prediction[0].where: no problem has an axis 'm'; expected "
                         "one of boundary, dtype, n, problem, state"));
  EXPECT_THAT(trouble("candidate = \"fast\"\nwhere = \"n = 3\"\n"),
              StartsWith("dir/e.toml:6: prediction[0].where: no case that fast supports matches"));
  EXPECT_THAT(trouble(std::string("candidate = \"fast\"\n") + prediction_of_fast),
              HasSubstr("is predicted twice, also by prediction 1"));
}

TEST(Plan, KeepsAPredictionThatTheCommandLineNarrowedAway) {
  Experiment experiment = parse_experiment(
      std::string("name = \"t\"\n") + prediction_of_fast + "where = \"n = 8\"\n", "e.toml");
  experiment.cases.filter = containing("n=4 ");
  const Plan plan = plan_of(experiment, sum_program());
  EXPECT_THAT(ids(plan), ElementsAre("sum/n=4 dtype=f32/warm/call"));
  ASSERT_EQ(plan.left_out.size(), 2U);
  EXPECT_EQ(plan.left_out[0].what, "filter n=4 ");
  EXPECT_EQ(plan.left_out[0].reason, "1 cell does not match it");
  EXPECT_EQ(plan.left_out[1].what, "prediction 1");
}

TEST(Plan, RefusesAFilterThatLeavesNothing) {
  Experiment experiment = experiment_of_program("p");
  experiment.cases.filter = containing("xyz");
  EXPECT_THAT(message_of(ErrorKind::nothing, [&] { plan_of(experiment, sum_program()); }),
              HasSubstr("problem sum: no cell of it matches the filter"));
}

TEST(Plan, OfAQuickLookHasOneStateAndTenSeconds) {
  Experiment experiment = parse_experiment(
      "name = \"t\"\n[protocol]\nstate = [\"cold\", \"warm\"]\nbudget = \"5min\"\n", "e.toml");
  experiment.quick = true;
  const Plan plan = plan_of(experiment, sum_program());
  EXPECT_THAT(plan.protocol.states, ElementsAre("cold"));
  EXPECT_EQ(plan.cells.size(), 2U);
  EXPECT_TRUE(plan.quick);
  EXPECT_EQ(plan.protocol.budget_s, 10);
}

TEST(Plan, ComparesTheBaselineSubjectOfTwoBuilds) {
  const Experiment experiment = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\nbaseline = \"fast\"\n[build.baseline]\n[build.candidate]\n",
      "e.toml");
  auto newer = sum_program();
  newer.problems[0].cases[1].supported = {"naive"};
  newer.problems[0].cases[0].subject_work["fast"] = WorkDescription{1, 2, 3, 4, "x"};
  const Plan plan = make_plan(experiment, {sum_program(), newer}, {"d1", "d2"}, "now");
  ASSERT_EQ(plan.cells.size(), 1U);
  EXPECT_THAT(names(plan.cells[0]), ElementsAre("fast@baseline", "fast@candidate"));
  EXPECT_FALSE(plan.cells[0].subject_work[0].has_value());
  ASSERT_TRUE(plan.cells[0].subject_work[1].has_value());
  EXPECT_EQ(plan.cells[0].subject_work[1]->flop, 3);
  EXPECT_EQ(plan.left_out.size(), 1U);
  EXPECT_EQ(plan.comparisons.size(), 1U);
}

TEST(Plan, TakesOtherNamesOfTheCandidateBuildWhereTheBaselineIsNotInIt) {
  const Experiment experiment = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\n[build.baseline]\n[build.candidate]\n", "e.toml");
  const Plan plan = make_plan(experiment, {sum_program({"old"}), sum_program({"new"})}, {}, "now");
  EXPECT_THAT(names(plan.cells[0]), ElementsAre("old@baseline", "new@candidate"));
}

TEST(Plan, RefusesASubjectCalledControl) {
  EXPECT_THAT(bad_input([] {
                plan_of("", sum_program({"naive", "control"}));
              }),
              HasSubstr("expected another name"));
}

TEST(Plan, RefusesCasesThatWereNotAskedFor) {
  EXPECT_THAT(
      message_of(ErrorKind::worker, [] { plan_of("[cases]\nn = [4, 5]\n", sum_program()); }),
      HasSubstr("asked for 2 cases of the problem sum and described others (2)"));
  EXPECT_EQ(plan_of("[cases]\nn = [8, 4]\n", sum_program()).cells.size(), 2U);
}

TEST(Plan, TakesTheLargerOfMarginAndNoiseFloor) {
  Plan plan;
  plan.protocol.margin = 0.01;
  EXPECT_EQ(plan.margin_in_force(), 0.01);
  plan.noise_floor = 0.02;
  EXPECT_EQ(plan.margin_in_force(), 0.02);
  plan.noise_floor = 0.001;
  EXPECT_EQ(plan.margin_in_force(), 0.01);
}

TEST(ProtocolHash, LeavesOutSeedBudgetTimeoutAndMachine) {
  Plan plan = plan_of("", sum_program());
  const std::string hash = protocol_hash(plan);
  EXPECT_EQ(hash.size(), 64U);
  plan.protocol.seed = 7;
  plan.protocol.budget_s = 1;
  plan.protocol.timeout_s = 1;
  plan.noise_floor = 0.5;
  plan.created_utc = "later";
  EXPECT_EQ(protocol_hash(plan), hash);
}

TEST(ProtocolHash, ChangesWithEveryRule) {
  const Plan plan = plan_of("", sum_program());
  const std::string hash = protocol_hash(plan);
  const auto changed = [&](auto change) {
    Plan other = plan;
    change(other);
    return protocol_hash(other) != hash;
  };
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.alpha = 0.04; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.margin = 0.02; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.looks = {8}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.states = {"cold"}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.boundaries = {"device"}; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.precision = 0.1; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.blocks = 21; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.sample_s = 2; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.timer = "tsc"; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.warmup_blocks_max = 1; }));
  EXPECT_TRUE(changed([](Plan& p) { p.protocol.ignores_noise_floor = true; }));
  EXPECT_TRUE(changed([](Plan& p) { p.layout_replicates = 8; }));
  EXPECT_TRUE(changed([](Plan& p) { p.quick = true; }));
}

}  // namespace
}  // namespace assay::experiment
