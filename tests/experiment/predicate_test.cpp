// SPDX-License-Identifier: MIT
#include "assay/experiment/predicate.hpp"

#include <gmock/gmock.h>

#include "support.hpp"

namespace assay::experiment {
namespace {

bool matches(const std::string& text, const std::string& id) {
  return Predicate::parse(text).matches(Case::parse(id));
}

TEST(Predicate, OfNothingMatchesEveryCase) {
  EXPECT_TRUE(matches("", "n=1"));
  EXPECT_TRUE(matches("  ", "-"));
}

TEST(Predicate, ComparesNumbers) {
  EXPECT_TRUE(matches("n = 4", "n=4"));
  EXPECT_FALSE(matches("n = 4", "n=5"));
  EXPECT_TRUE(matches("n != 4", "n=5"));
  EXPECT_FALSE(matches("n != 4", "n=4"));
  EXPECT_TRUE(matches("n < 4", "n=3"));
  EXPECT_FALSE(matches("n < 4", "n=4"));
  EXPECT_TRUE(matches("n <= 4", "n=4"));
  EXPECT_FALSE(matches("n <= 4", "n=5"));
  EXPECT_TRUE(matches("n > 4", "n=5"));
  EXPECT_FALSE(matches("n > 4", "n=4"));
  EXPECT_TRUE(matches("n >= 4", "n=4"));
  EXPECT_FALSE(matches("n >= 4", "n=3"));
}

TEST(Predicate, ComparesIntegersWithNumbersExactly) {
  EXPECT_TRUE(matches("n = 4.0", "n=4"));
  EXPECT_TRUE(matches("x > 0", "x=0.5"));
  EXPECT_FALSE(matches("n = 9007199254740992.0", "n=9007199254740993"));
}

TEST(Predicate, ComparesTextsForEqualityOnly) {
  EXPECT_TRUE(matches("dtype = f32", "dtype=f32"));
  EXPECT_TRUE(matches("dtype != f32", "dtype=bf16"));
  EXPECT_TRUE(matches("dtype != 4", "dtype=f32"));
  EXPECT_FALSE(matches("dtype = 4", "dtype=f32"));
  EXPECT_FALSE(matches("dtype < 4", "dtype=f32"));
}

TEST(Predicate, JoinsConditionsByAnd) {
  const std::string text = "rows = 4096 and cols>=8192";
  EXPECT_TRUE(matches(text, "rows=4096 cols=8192"));
  EXPECT_FALSE(matches(text, "rows=4096 cols=8191"));
  EXPECT_FALSE(matches(text, "rows=4095 cols=8192"));
  EXPECT_THAT(Predicate::parse(text).axes(), testing::ElementsAre("rows", "cols"));
}

TEST(Predicate, IsFalseWhereAnAxisIsAbsent) { EXPECT_FALSE(matches("m = 1", "n=1")); }

TEST(Predicate, RefusesWhatItCannotRead) {
  const std::pair<const char*, const char*> bad[] = {
      {"n", "no operator follows 'n'"},
      {"n =", "no value follows"},
      {"= 3", "the name of an axis is missing"},
      {"n == 3", "'==' is no operator"},
      {"n => 3", "'=>' is no operator"},
      {"n = 3 or n = 4", "'or' stands where only 'and' can"},
      {"n = 3 and", "the name of an axis is missing"},
      {"n = 3,4", "cannot be the value"},
      {"d < f32", "only numbers have an order"},
      {"n 3", "no operator follows"},
  };
  for (const auto& [text, trouble] : bad) {
    const std::string message = bad_input([&t = text] { Predicate::parse(t); });
    EXPECT_THAT(message, testing::HasSubstr(trouble)) << text;
    EXPECT_THAT(message, testing::HasSubstr("expected AXIS OPERATOR VALUE")) << text;
  }
}

}  // namespace
}  // namespace assay::experiment
