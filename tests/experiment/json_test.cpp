// SPDX-License-Identifier: MIT
//
// What is written reads back as the same; what is changed is refused.
#include <gmock/gmock.h>

#include <limits>

#include "assay/experiment/outcome.hpp"
#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::HasSubstr;

Plan full_plan() {
  Experiment experiment = parse_experiment(R"(name = "t"
program = "p"
[question]
question = "Is it „schnell“?"
hypothesis = "h"
[[question.alternative]]
explanation = "e"
told_apart_by = "t"
metrics = ["m"]
[[prediction]]
candidate = "fast"
where = "n = 8"
ratio = [0.1, 0.30000000000000004]
probability = { faster = 0.9, equivalent = 0.05, slower = 0.05 }
[[prediction]]
candidate = "fast"
where = "n = 4"
ratio = [1, 2]
[protocol]
precision = 0.005
[publication]
author = "A"
)",
                                           "dir/e.toml");
  auto program = sum_program({"naive", "fast", "other"});
  program.problems[0].cases[0].supported = {"naive", "fast"};
  program.problems[0].cases[1].subject_work["fast"] = WorkDescription{1, 2, 3, 4, "x"};
  program.problems[0].cases[1].work = Missing{"not-declared", "none"};
  program.problems[0].axes.push_back({"eps", {0.5, 2.0}});
  program.problems[0].has_in_place = true;
  program.timers[1].is_slope = true;
  Plan plan = plan_of(experiment, program);
  plan.protocol.seed = std::numeric_limits<std::uint64_t>::max();
  plan.noise_floor = 0.0123;
  plan.noise_floor_source =
      NoiseFloorSource{"2026-11-29T21:44:05+00:00", 3, 64, "c", "0.1.0", "r", "d"};
  plan.protocol.ignores_noise_floor = true;
  plan.left_out.push_back({"w", "r"});
  return plan;
}

Json changed(const Plan& plan, const std::string& pointer, const Json& value) {
  Json json = to_json(plan);
  json[Json::json_pointer(pointer)] = value;
  return json;
}

TEST(PlanJson, RefusesAMissingMember) {
  const auto refused_without = [](const std::string& pointer) {
    const Json::json_pointer member(pointer);
    Json json = to_json(full_plan());
    json[member.parent_pointer()].erase(member.back());
    try {
      plan_from_json(json, "plan.json");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused_without("/noise_floor_source"),
              HasSubstr("plan.json: 'noise_floor_source' is missing"));
  EXPECT_THAT(refused_without("/protocol/ignores_noise_floor"),
              HasSubstr("plan.json.protocol: 'ignores_noise_floor' is missing"));
}

TEST(PlanJson, ReadsBackAsTheSamePlan) {
  const Plan plan = full_plan();
  const std::string text = json_text(to_json(plan));
  const Plan read = plan_from_json(parse_json(text, "plan.json"), "plan.json");
  EXPECT_EQ(json_text(to_json(read)), text);
  EXPECT_EQ(read.protocol.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read.predictions[0].ratio_high, 0.30000000000000004);
  EXPECT_EQ(read.protocol.precision, 0.005);
  EXPECT_EQ(*read.noise_floor, 0.0123);
  EXPECT_EQ(read.noise_floor_source, plan.noise_floor_source);
  EXPECT_TRUE(read.protocol.ignores_noise_floor);
  EXPECT_EQ(read.cells.size(), 2U);
  EXPECT_EQ(read.cells[0].the_case, plan.cells[0].the_case);
  EXPECT_EQ(read.cells[0].subjects, plan.cells[0].subjects);
  EXPECT_EQ(read.cells[0].unsupported, plan.cells[0].unsupported);
  EXPECT_EQ(read.cells[1].subject_work[1]->items, 4);
  EXPECT_EQ(read.cells[1].work.missing().reason, "not-declared");
  EXPECT_EQ(read.primaries(), 2U);
  EXPECT_EQ(read.question.alternatives[0].metrics, plan.question.alternatives[0].metrics);
  EXPECT_EQ(read.publication->author, "A");
  EXPECT_EQ(read.defaults_used, plan.defaults_used);
  EXPECT_EQ(read.builds[0].program, plan.builds[0].program);
  EXPECT_EQ(protocol_hash(read), protocol_hash(plan));
}

TEST(PlanJson, WritesTheSeedAsText) {
  EXPECT_EQ(to_json(full_plan())["protocol"]["seed"], "18446744073709551615");
}

TEST(PlanJson, RefusesWhatDoesNotFitTogether) {
  const Plan plan = full_plan();
  struct Change {
    const char* pointer;
    Json value;
    const char* trouble;
  };
  const Change changes[] = {
      {"/format", "assay-plan/2", "format 'assay-plan/2' is not known"},
      {"/method", "x", "method 'x' is not known"},
      {"/surprise", 1, "unknown key 'surprise'"},
      {"/protocol/surprise", 1, "unknown key 'surprise'"},
      {"/protocol/seed", "18446744073709551616", "is no seed"},
      {"/protocol/seed", 3, "'seed' must be a string"},
      {"/protocol/alpha", 0.5, "p.protocol.alpha"},
      {"/protocol/looks", Json::array({8, 8}), "strictly increasing"},
      {"/protocol/looks", Json::array({1.5}), "expected an integer"},
      {"/protocol/blocks", 2, "at least 3"},
      {"/protocol/sample_s", 0, "above 0"},
      {"/protocol/margin", 1, "below 1"},
      {"/layout_replicates", 3, "too few"},
      {"/cells/0/id", "x", "'x' is not the id of this cell"},
      {"/cells/0/state", "a b", "must be names"},
      {"/cells/0/subjects", Json::array(), "needs a baseline"},
      {"/cells/0/subjects/0/build", "q", "is of no build"},
      {"/cells/0/subject_work", Json::array(), "beside each subject"},
      {"/cells/0/case", Json{{"n", "4"}}, "reads as a number"},
      {"/cells/0/case", Json{{"n", true}}, "expected an integer of 64 bits"},
      {"/cells/0/case", Json{{"n", 9223372036854775808U}}, "expected an integer of 64 bits"},
      {"/comparisons/0/cell", 9U, "no such cell"},
      {"/comparisons/0/candidate", 0U, "no such candidate"},
      {"/comparisons/0/prediction", 9U, "no such prediction"},
      {"/predictions/0/ratio_low", 0, "0 < ratio_low"},
      {"/predictions/0/where", "n ~ 3", "cannot read 'n ~ 3'"},
      {"/descriptions", Json::array(), "each with its description"},
      {"/descriptions/0/problems/0/subjects/0/threads", 0, "no number of threads"},
      {"/descriptions/0/problems/0/name", "a b", "cannot be a name"},
      {"/cells", 3, "expected an array"},
      {"/question", nullptr, "expected an object"},
  };
  for (const Change& change : changes) {
    const Json json = changed(plan, change.pointer, change.value);
    EXPECT_THAT(bad_input([&] { plan_from_json(json, "p"); }), HasSubstr(change.trouble))
        << change.pointer;
  }
}

TEST(CaseJson, KeepsTypesThatTheIdCannotTell) {
  const Case one({{"x", 2.0}, {"n", std::int64_t{2}}, {"d", std::string("f32")}});
  EXPECT_EQ(to_json(one).dump(), R"({"x":2.0,"n":2,"d":"f32"})");
  EXPECT_EQ(case_from_json(to_json(one), "w"), one);
  EXPECT_EQ(case_from_json(to_json(Case()), "w"), Case());
}

TEST(OutcomeJson, ReadsBackAsTheSame) {
  CheckResult check{"adversarial", "sum", "n=4", "fast", "all-equal", false, true, "too far", {}};
  check.detail = {{"largest", 0.25}};
  EXPECT_EQ(to_json(check_result_from_json(to_json(check), "w")), to_json(check));
  Failure failure{"crashed", "it was killed", "block", 3, "sum/n=4/warm/call", "fast", "program"};
  EXPECT_EQ(to_json(failure_from_json(to_json(failure), "w")), to_json(failure));
  failure.trial.reset();
  EXPECT_FALSE(failure_from_json(to_json(failure), "w").trial.has_value());
}

TEST(OutcomeJson, EveryKindOfFailureIsRead) {
  for (const char* kind : {failure::missing_program, failure::not_a_program, failure::crashed,
                           failure::exited, failure::timed_out, failure::device_lost,
                           failure::not_started, failure::protocol, failure::wrong_output,
                           failure::subject_error, failure::input_changed, failure::out_of_bounds,
                           failure::too_short, failure::implausible_time, failure::code_refused}) {
    const Failure failed{kind, "", "", {}, "", "", ""};
    EXPECT_EQ(failure_from_json(to_json(failed), "w").kind, kind);
  }
}

TEST(OutcomeJson, RefusesKindsThatItDoesNotKnow) {
  Json check = to_json(CheckResult{"before", "", "", "", "ordinary", true, true, "", {}});
  check["kind"] = "afterwards";
  EXPECT_THAT(bad_input([&] { check_result_from_json(check, "w"); }),
              HasSubstr("unknown kind 'afterwards'; expected one of before, timed"));
  Json failed = to_json(Failure{"crashed", "", "", {}, "", "", ""});
  failed["kind"] = "sad";
  EXPECT_THAT(bad_input([&] { failure_from_json(failed, "w"); }), HasSubstr("unknown kind 'sad'"));
}

TEST(CalibrationJson, ReadsBackAsTheSame) {
  CellCalibration first;
  first.cell = "sum/n=4/warm/call";
  first.iterations = std::int64_t{1000};
  first.estimand = Estimand::mean;
  first.samples_per_trial = 20;
  first.timer = "tsc";
  first.timer_resolution_ns = 0.1;
  first.call_ns = {{"naive", 12.5}, {"control", 12.5}};
  first.rotation = Rotation{4, 8192};
  first.launches = {{"naive",
                     {{"_Z3sumPf", 132, 256, 0.5, std::string("registers")},
                      {"_Z4tailPf", 1, 32, Missing{"not-asked", ""}, Missing{"not-asked", ""}}}}};
  Launch& spilling = first.launches[0].second[0];
  spilling.stack_bytes = 288;
  spilling.spill_store_bytes = 24;
  spilling.spill_load_bytes = 28;
  CellCalibration second;
  second.iterations = Missing{"too-short", "a call is shorter than ten steps"};
  const Calibration calibration{{first, second}};
  const Json json = to_json(calibration);
  EXPECT_EQ(to_json(calibration_from_json(json, "w")), json);
  EXPECT_EQ(json["cells"][0]["timer_resolution_ns"], 0.1);
  EXPECT_EQ(json["cells"][1]["timer_resolution_ns"]["missing"], "not-calibrated");
  Json wrong = json;
  wrong["cells"][0]["timer_resolution_ns"] = 0;  // as records of before have it
  EXPECT_EQ(calibration_from_json(wrong, "w").cells[0].timer_resolution_ns.missing().reason,
            "not-recorded");
  wrong["cells"][0]["timer_resolution_ns"] = -1;
  EXPECT_THAT(bad_input([&] { calibration_from_json(wrong, "w"); }), HasSubstr("at least 0"));
  wrong = json;
  wrong["cells"][0]["estimand"] = "mode";
  EXPECT_THAT(bad_input([&] { calibration_from_json(wrong, "w"); }), HasSubstr("'mode'"));
  wrong = json;
  wrong["cells"][0]["iterations"] = {{"value", 0}};
  EXPECT_THAT(bad_input([&] { calibration_from_json(wrong, "w"); }), HasSubstr("at least 1"));
  wrong = json;
  // As records had it before what spills was told.
  for (const char* member : {"stack_bytes", "spill_store_bytes", "spill_load_bytes"}) {
    wrong["cells"][0]["launches"][0]["launches"][0].erase(member);
  }
  const Launch older = calibration_from_json(wrong, "w").cells[0].launches[0].second[0];
  EXPECT_EQ(older.spill_store_bytes.missing().reason, "not-asked");
  Json written = Json::object();
  older.write_spills(written);
  EXPECT_TRUE(written.empty());
  wrong = json;
  wrong["cells"][0]["launches"][0]["launches"][1]["grid"] = 0;
  EXPECT_THAT(bad_input([&] { calibration_from_json(wrong, "w"); }),
              HasSubstr("at least one block"));
}

TEST(Work, IsOfNoDtypeWhereNoneIsSaid) {
  using Flop = std::map<std::string, double>;
  WorkDescription work;
  EXPECT_TRUE(work.flop_by_any_dtype().empty());
  work.flop = 10;
  EXPECT_EQ(work.flop_by_any_dtype(), (Flop{{"", 10}}));
  work.flop_by_dtype = {{"bf16", 6}};
  EXPECT_EQ(work.flop_by_any_dtype(), (Flop{{"", 4}, {"bf16", 6}}));
  // What is left by rounding is no work.
  work.flop_by_dtype = {{"bf16", 10 - 1e-12}};
  EXPECT_EQ(work.flop_by_any_dtype(), (Flop{{"bf16", 10 - 1e-12}}));
}

}  // namespace
}  // namespace assay::experiment
