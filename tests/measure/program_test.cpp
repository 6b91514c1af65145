// SPDX-License-Identifier: MIT
#include "assay/measure/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/measure/describe.hpp"
#include "sample_program.hpp"

namespace {

using namespace assay;
using testing::HasSubstr;

template <typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

Case case_of(const char* id) { return Case::parse(id); }

TEST(Program, RefusesNamesThatAreTakenOrCannotStandInAnIdentity) {
  Program program;
  Problem& p = program.problem("p");
  EXPECT_THAT(message_of([&] { program.problem("p"); }), HasSubstr("twice"));
  p.subject("a", [] {});
  EXPECT_THAT(message_of([&] { p.subject("a", [] {}); }), HasSubstr("twice"));
  EXPECT_THAT(message_of([&] { p.subject("control", [] {}); }), HasSubstr("control"));
  for (const char* name : {"", "a b", "a,b", "a/b", "a=b", "a@b", "a\"b", "a\nb"}) {
    EXPECT_THAT(message_of([&] { p.subject(name, [] {}); }), HasSubstr("must not")) << name;
    EXPECT_THAT(message_of([&] { program.problem(name); }), HasSubstr("must not")) << name;
  }
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  EXPECT_THAT(message_of([&] { p.input("y", [](const Case&) { return Tensor::f32({1}); }); }),
              HasSubstr("twice"));
  p.axis("n", {1});
  EXPECT_THAT(message_of([&] { p.axis("n", {1}); }), HasSubstr("twice"));
  EXPECT_THAT(message_of([&] { p.state("cold", [](Context&) {}); }), HasSubstr("twice"));
}

TEST(Program, KeepsReferencesToProblemsValid) {
  Program program;
  Problem& first = program.problem("first");
  for (int i = 0; i < 100; ++i) program.problem("p" + std::to_string(i));
  first.subject("a", [] {});
  EXPECT_EQ(program.find("first")->subjects().size(), 1U);
  EXPECT_EQ(program.find("nobody"), nullptr);
}

TEST(Subject, IsSupportedWhereAllItsPredicatesAgree) {
  Program program;
  Subject& subject = program.problem("p").subject("a", [] {});
  EXPECT_TRUE(subject.is_supported(case_of("n=3")));
  subject.supports([](const Case& c) { return c.integer("n") > 2; });
  subject.supports([](const Case& c) { return c.integer("n") < 5; });
  EXPECT_FALSE(subject.is_supported(case_of("n=2")));
  EXPECT_TRUE(subject.is_supported(case_of("n=3")));
  EXPECT_FALSE(subject.is_supported(case_of("n=5")));
}

TEST(Subject, ATemplateOverDtypesIsPickedByTheCase) {
  Program program;
  std::size_t seen = 0;
  const auto callable = [&seen](Context&, auto type) {
    seen = sizeof(typename decltype(type)::type);
  };
  Subject& subject = program.problem("p").subject<float, double>("a", callable);
  const Case f64 = case_of("dtype=f64");
  Context context(&f64, {}, {}, 1, nullptr, {});
  subject.loop(f64).run(context, 1);
  EXPECT_EQ(seen, sizeof(double));
  EXPECT_TRUE(subject.is_supported(case_of("dtype=f32")));
  EXPECT_FALSE(subject.is_supported(case_of("dtype=f16")));
  EXPECT_FALSE(subject.is_supported(case_of("n=1")));
  EXPECT_THAT(message_of([&] { subject.loop(case_of("dtype=f16")); }), HasSubstr("dtype"));
}

TEST(Subject, RunsAsOftenAsItIsAskedTo) {
  Program program;
  int calls = 0;
  Subject& subject = program.problem("p").subject("a", [&calls] { ++calls; });
  const Case none;
  Context context(&none, {}, {}, 1, nullptr, {});
  subject.loop(none).run(context, 5);
  EXPECT_EQ(calls, 5);
  subject.loop(none).run(context, 0);
  EXPECT_EQ(calls, 5);
}

TEST(Subject, KnowsTheCompilerOfTheFileThatDeclaresIt) {
  Program program;
  const BuildFacts& build = program.problem("p").subject("a", [] {}).build();
  EXPECT_THAT(build.compiler, testing::AnyOf(HasSubstr("GCC "), HasSubstr("Clang ")));
  EXPECT_STREQ(build.flags, "");
  EXPECT_FALSE(build.aligned);
}

TEST(Program, ThatCannotBeMeasuredSaysWhy) {
  using measure::expect_measurable;
  Program program;
  EXPECT_THAT(message_of([&] { expect_measurable(program); }), HasSubstr("no problem"));
  Problem& p = program.problem("p");
  EXPECT_THAT(message_of([&] { expect_measurable(program); }), HasSubstr("no subject"));
  p.subject("a", [] {});
  EXPECT_THAT(message_of([&] { expect_measurable(program); }), HasSubstr("unchecked()"));
  p.reference([](ReferenceCall&) {});
  EXPECT_THAT(message_of([&] { expect_measurable(program); }), HasSubstr("no tolerance"));
  p.tolerance(Tolerance::exact());
  EXPECT_THAT(message_of([&] { expect_measurable(program); }), HasSubstr("nothing to compare"));
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  EXPECT_NO_THROW(expect_measurable(program));
}

}  // namespace
