// SPDX-License-Identifier: MIT
#include "assay/base/case.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

Case two_axes() {
  return Case({{"n", std::int64_t{1024}}, {"dtype", std::string("f32")}, {"scale", 0.5}});
}

template <typename F>
std::string message_of(F&& f, ErrorKind kind) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(AxisValue, AWholeNumberIsAnInteger) {
  EXPECT_EQ(axis_value_from_text("1024"), AxisValue(std::int64_t{1024}));
  EXPECT_EQ(axis_value_from_text("-1"), AxisValue(std::int64_t{-1}));
}

TEST(AxisValue, APointOrAnExponentMakesAFloat) {
  EXPECT_EQ(axis_value_from_text("2.0"), AxisValue(2.0));
  EXPECT_EQ(axis_value_from_text("1e-05"), AxisValue(1e-5));
}

TEST(AxisValue, AnythingElseIsText) {
  EXPECT_EQ(axis_value_from_text("f32"), AxisValue(std::string("f32")));
  EXPECT_EQ(axis_value_from_text("32x"), AxisValue(std::string("32x")));
  EXPECT_EQ(axis_value_from_text("1.5x"), AxisValue(std::string("1.5x")));
}

TEST(AxisValue, ReadsBackAsTheSameValueAndType) {
  for (const AxisValue& value :
       {AxisValue(std::int64_t{0}), AxisValue(std::numeric_limits<std::int64_t>::min()),
        AxisValue(2.0), AxisValue(-0.1), AxisValue(1e300), AxisValue(1.0 / 3.0),
        AxisValue(std::string("bf16"))}) {
    EXPECT_EQ(axis_value_from_text(to_text(value)), value) << to_text(value);
  }
}

TEST(AxisValue, AWholeFloatKeepsItsPoint) { EXPECT_EQ(to_text(AxisValue(2.0)), "2.0"); }

TEST(CaseId, NamesAxesInTheirOrder) { EXPECT_EQ(two_axes().id(), "n=1024 dtype=f32 scale=0.5"); }

TEST(CaseId, IsADashWithoutAxes) { EXPECT_EQ(Case().id(), "-"); }

TEST(CaseId, ReadsBackAsTheSameCase) {
  EXPECT_EQ(Case::parse(two_axes().id()), two_axes());
  EXPECT_EQ(Case::parse("-"), Case());
}

TEST(CaseId, RefusesWhatIsNotACase) {
  for (const char* text : {"", " ", "n", "=1", "n=", "n=1  m=2", "n=1 ", " n=1", "n=1 n=2", "n=a=b",
                           "n=\"a\"", "n=a,b", "a/b=1", "n=1\tm=2", "n=1\n", "- n=1"}) {
    EXPECT_THAT(message_of([&] { Case::parse(text); }, ErrorKind::bad_input), HasSubstr("case"))
        << "'" << text << "'";
  }
}

TEST(Case, RefusesTextThatCannotStandInAnIdentity) {
  EXPECT_THROW(Case({{"", std::int64_t{1}}}), Error);
  EXPECT_THROW(Case({{"a b", std::int64_t{1}}}), Error);
  EXPECT_THROW(Case({{"n", std::string("a,b")}}), Error);
  EXPECT_THROW(Case({{"n", std::string()}}), Error);
}

TEST(Case, RefusesARepeatedAxis) {
  EXPECT_THROW(Case({{"n", std::int64_t{1}}, {"n", std::int64_t{2}}}), Error);
}

TEST(Case, GivesEachAxisByItsType) {
  EXPECT_EQ(two_axes().integer("n"), 1024);
  EXPECT_EQ(two_axes().text("dtype"), "f32");
  EXPECT_EQ(two_axes().number("scale"), 0.5);
}

TEST(Case, TakesAnIntegerForANumber) { EXPECT_EQ(two_axes().number("n"), 1024.0); }

TEST(Case, RefusesAnotherType) {
  message_of([] { two_axes().integer("scale"); }, ErrorKind::usage);
  message_of([] { two_axes().number("dtype"); }, ErrorKind::usage);
  message_of([] { two_axes().text("n"); }, ErrorKind::usage);
}

TEST(Case, SaysWhichAxesThereAreWhenOneIsMissing) {
  EXPECT_THAT(message_of([] { two_axes().integer("rows"); }, ErrorKind::usage),
              testing::AllOf(HasSubstr("'rows'"), HasSubstr("n=1024 dtype=f32")));
}

TEST(Case, FindsAnAxisOrNothing) {
  EXPECT_EQ(*two_axes().find("n"), AxisValue(std::int64_t{1024}));
  EXPECT_EQ(two_axes().find("rows"), nullptr);
}

TEST(Case, IsTheSameOnlyWithTheSameAxesInTheSameOrder) {
  EXPECT_EQ(two_axes(), two_axes());
  EXPECT_NE(Case::parse("a=1 b=2"), Case::parse("b=2 a=1"));
  EXPECT_NE(Case::parse("a=1"), Case::parse("a=1.0"));
}

}  // namespace
}  // namespace assay
