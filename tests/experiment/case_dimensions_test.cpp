// SPDX-License-Identifier: MIT
#include "assay/experiment/case_dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::HasSubstr;

Operand operand(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  return {"x", "input", "f32", std::move(shape), std::move(strides), 64};
}

CaseDimensions sample() {
  CaseDimensions dimensions;
  dimensions.operands = {operand({64, 4096}, {4096, 1}), {"y", "output", "bf16", {}, {}, 2}};
  dimensions.declared.set("m", 64).set("epilogue", "bias + relu").set("beta", 0.5);
  dimensions.parameters["fast"] = {{"tile", "128x64"}};
  return dimensions;
}

// The message where a member of sample() is replaced by value.
std::string refusal(const std::string& pointer, const Json& value) {
  Json json = to_json(sample());
  json[Json::json_pointer(pointer)] = value;
  return bad_input([&] { case_dimensions_from_json(json, "d"); });
}

TEST(Operand, NamesTheOrderOfItsElements) {
  using Row = std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>, std::string>;
  for (const auto& [shape, strides, layout] : {
           Row{{}, {}, "contiguous"}, Row{{7}, {1}, "contiguous"}, Row{{7}, {2}, "strides 2"},
           Row{{3, 5}, {5, 1}, "row-major"}, Row{{3, 5}, {1, 3}, "column-major"},
           Row{{3, 5}, {8, 1}, "strides 8x1"}, Row{{2, 3, 5}, {15, 5, 1}, "row-major"},
           Row{{2, 3, 5}, {1, 2, 6}, "column-major"}, Row{{2, 3, 5}, {15, 1, 3}, "strides 15x1x3"},
           Row{{1, 5}, {99, 1}, "row-major"},  // no step is ever taken over an extent of one
           Row{{5, 1}, {1, 1}, "row-major"},
           Row{{1LL << 40, 1LL << 40, 2}, {0, 2, 1}, "strides 0x2x1"},  // more than can be counted
       }) {
    EXPECT_EQ(operand(shape, strides).layout(), layout);
  }
  EXPECT_EQ(operand({}, {}).shape_text(), "scalar");
  EXPECT_EQ(operand({2, 3}, {3, 1}).shape_text(), "2x3");
}

TEST(CaseDimensions, ReadBackAsTheyWereWritten) {
  const Json json = to_json(sample());
  const CaseDimensions back = case_dimensions_from_json(json, "d");
  EXPECT_EQ(back.operands, sample().operands);
  EXPECT_EQ(back.declared.entries(), sample().declared.entries());
  EXPECT_EQ(back.parameters, sample().parameters);
  EXPECT_EQ(to_json(back).dump(), json.dump());
}

TEST(CaseDimensions, RefuseWhatCannotBe) {
  EXPECT_THAT(refusal("/operands/0/strides", Json::array({1})), HasSubstr("as many as shape"));
  EXPECT_THAT(refusal("/operands/0/shape", Json::array({-1, 1})), HasSubstr("at least 0"));
  EXPECT_THAT(refusal("/operands/0/layout", "column-major"), HasSubstr("which is 'row-major'"));
  EXPECT_THAT(refusal("/operands/0/role", "both"), HasSubstr("expected input, in-place or output"));
  EXPECT_THAT(refusal("/operands/0/name", "a,b"), HasSubstr("names no tensor"));
  EXPECT_THAT(refusal("/operands/1/alignment_bytes", 48), HasSubstr("a power of two"));
  EXPECT_THAT(refusal("/declared/m", "a\nb"), HasSubstr("d.declared: the dimension 'm' is a text"));
  EXPECT_THAT(refusal("/declared/m", nullptr), HasSubstr("d.declared.m: expected an integer"));
  EXPECT_THAT(refusal("/parameters/fast/tile", 128), HasSubstr("'tile'"));
  EXPECT_THAT(refusal("/more", 1), HasSubstr("more"));
}

ProgramDescription with(const Operand& x, const Dimensions& declared) {
  ProgramDescription program = sum_program({"naive"});
  for (CaseDescription& one : program.problems[0].cases) {
    one.dimensions = CaseDimensions{{x}, declared, {}};
  }
  return program;
}

Plan plan_of_two(const ProgramDescription& baseline, const ProgramDescription& candidate) {
  const auto experiment = parse_experiment(
      "name = \"t\"\nprogram = \"p\"\n[build.baseline]\n[build.candidate]\n", "e.toml");
  return make_plan(experiment, {baseline, candidate}, {"d1", "d2"}, "now");
}

TEST(TwoBuilds, AreComparedOnTheSameElementsOnly) {
  const Operand x = operand({4}, {1});
  Operand other = x;
  other.dtype = "bf16";
  ProgramDescription candidate = with(x, {});
  candidate.problems[0].cases[0].dimensions->operands = {other};
  candidate.problems[0].cases[1].dimensions->operands = {x, other};
  candidate.problems[0].cases.push_back(candidate.problems[0].cases[0]);
  ProgramDescription baseline = with(x, {});
  for (ProgramDescription* program : {&baseline, &candidate}) {
    auto& cases = program->problems[0].cases;
    cases.resize(3, cases[0]);
    cases[2].the_case = Case({{"n", std::int64_t{16}}, {"dtype", std::string("f32")}});
    cases[2].dimensions = CaseDimensions{{x}, {}, {}};
  }
  const Plan plan = plan_of_two(baseline, candidate);
  ASSERT_EQ(plan.cells.size(), 1U);
  EXPECT_EQ(plan.cells[0].the_case.id(), "n=16 dtype=f32");
  ASSERT_EQ(plan.left_out.size(), 2U);
  EXPECT_EQ(plan.left_out[0].reason,
            "the builds baseline and candidate do not compute it on the same: x is input f32 4, "
            "and x is input bf16 4");
  EXPECT_THAT(plan.left_out[1].reason, HasSubstr("one has 1 tensor, the other 2"));
}

TEST(TwoBuilds, MayDifferInStridesAndAlignmentAndWhatTheyDeclare) {
  const Operand x = operand({4}, {1});
  Operand moved = operand({4}, {2});
  moved.alignment_bytes = 4;
  EXPECT_EQ(plan_of_two(with(x, {}), with(moved, Dimensions().set("stages", 2))).cells.size(), 2U);
  // Of an older program nothing is known.
  EXPECT_EQ(plan_of_two(sum_program({"naive"}), with(x, {})).cells.size(), 2U);
}

}  // namespace
}  // namespace assay::experiment
