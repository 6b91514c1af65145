// SPDX-License-Identifier: MIT
#include "assay/measure/describe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(Describe, SaysWhatTheProgramHolds) {
  const Program program = sample_program();
  device::Fake fake = fake_of(R"("timer": {"resolution_ns": 32, "floor_ns": 5})");
  const auto description = describe(program, fake, fake.timers(), cases_of(program, {}));
  EXPECT_EQ(description.device.id, "fake");
  EXPECT_THAT(description.boundaries, ElementsAre("call"));
  ASSERT_EQ(description.timers.size(), 1U);
  EXPECT_EQ(*description.timers[0].resolution_ns, 32);
  EXPECT_FALSE(description.build.assay_version.empty());
  ASSERT_EQ(description.problems.size(), 2U);
  const auto& sum = description.problems[0];
  EXPECT_TRUE(sum.checked);
  EXPECT_TRUE(sum.has_tensors);
  EXPECT_THAT(sum.states, ElementsAre("warm", "cold"));
  ASSERT_EQ(sum.cases.size(), 2U);
  EXPECT_EQ(sum.cases[1].the_case.id(), "n=33");
  EXPECT_EQ(sum.cases[1].footprint_bytes, 33 * 4 + 4);
  EXPECT_EQ(sum.cases[1].work->bytes_read, 132);
  EXPECT_EQ(sum.cases[0].supported.size(), sum.cases[1].supported.size() + 1);  // even-only
}

TEST(Describe, SaysWhatACaseIsBeyondItsAxes) {
  Program program;
  Problem& p = program.problem("p");
  p.axis("n", AxisValues{4, 6}).unchecked();
  p.input("x", [](const Case& c) {
    return Tensor::bf16({2, c.integer("n")}).strides({1, 2}).misaligned_by(6);
  });
  p.input("state", [](const Case&) { return Tensor::f32({3}); }).in_place();
  p.output("y", [](const Case&) { return Tensor::f64({}); });
  p.dimensions([](const Case& c) {
    return Dimensions().set("k", 2 * c.integer("n")).set("epilogue", "bias + relu");
  });
  p.subject("tiled", [] {}).parameter("stages", "2").parameter("tile", [](const Case& c) {
    return std::to_string(c.integer("n") / 2);
  });
  p.subject("four-only", [] {})
      .supports([](const Case& c) { return c.integer("n") == 4; })
      .parameter("tile", [](const Case&) { return "4"; });
  device::Fake fake = fake_of();
  const auto description = describe(program, fake, fake.timers(), cases_of(program, {}));
  const auto& of_6 = description.problems[0].cases[1].dimensions;
  ASSERT_TRUE(of_6.has_value());
  EXPECT_THAT(of_6->operands,
              ElementsAre(experiment::Operand{"x", "input", "bf16", {2, 6}, {1, 2}, 2},
                          experiment::Operand{"state", "in-place", "f32", {3}, {1}, 64},
                          experiment::Operand{"y", "output", "f64", {}, {}, 64}));
  ASSERT_EQ(of_6->declared.entries().size(), 2U);
  EXPECT_EQ(of_6->declared.entries()[0], Case::Entry("k", std::int64_t{12}));
  EXPECT_THAT(of_6->parameters, ElementsAre(Pair("tiled", ElementsAre(Pair("tile", "3")))));
  EXPECT_THAT(description.problems[0].subjects[0].parameters, ElementsAre(Pair("stages", "2")));
}

TEST(CasesOf, TakesThoseThatAreAskedForInTheOrderOfTheAxes) {
  Program program;
  Problem& p = program.problem("p");
  p.axis("n", AxisValues{1, 2}).axis("dtype", AxisValues{"f32"});
  EXPECT_EQ(cases_of(program, {}).at("p").size(), 2U);
  const auto asked = cases_of(program, {{"p", {Case::parse("dtype=f16 n=9")}}});
  ASSERT_EQ(asked.at("p").size(), 1U);
  EXPECT_EQ(asked.at("p")[0].id(), "n=9 dtype=f16");
}

TEST(CasesOf, RefusesCasesThatDoNotFit) {
  const Program program = sample_program();
  for (const char* id : {"-", "m=3", "n=3 m=3"}) {
    try {
      cases_of(program, {{"sum", {Case::parse(id)}}});
      FAIL() << id;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("whose axes are: n"));
    }
  }
  EXPECT_THROW(cases_of(program, {{"nobody", {}}}), Error);
}

TEST(Describe, NamesTheCaseThatCannotBeDescribed) {
  Program program;
  Problem& p = program.problem("p");
  p.axis("dtype", AxisValues{"f32", "f9"}).unchecked();
  p.input("x", [](const Case& c) { return Tensor::of_type(c.text("dtype"), {1}); });
  p.subject("a", [] {});
  device::Fake fake = fake_of();
  try {
    describe(program, fake, fake.timers(), cases_of(program, {}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("dtype=f9"));
  }
}

}  // namespace
