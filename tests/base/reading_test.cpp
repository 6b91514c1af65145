// SPDX-License-Identifier: MIT
#include "assay/base/reading.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

const Missing hidden{"not-permitted", "the machine hides it"};

TEST(Reading, HoldsAValue) {
  const Reading<int> reading = 3;
  EXPECT_TRUE(reading.has_value());
  EXPECT_TRUE(static_cast<bool>(reading));
  EXPECT_EQ(reading.value(), 3);
  EXPECT_EQ(*reading, 3);
}

TEST(Reading, HoldsTheReasonWhyThereIsNone) {
  const Reading<int> reading = hidden;
  EXPECT_FALSE(reading.has_value());
  EXPECT_FALSE(static_cast<bool>(reading));
  EXPECT_EQ(reading.missing(), hidden);
}

TEST(Reading, AskingForWhatIsNotThereIsACallersBug) {
  const Reading<int> there = 3;
  const Reading<int> gone = hidden;
  for (const auto& wrong : {+[](const Reading<int>& r) { (void)*r; },
                            +[](const Reading<int>& r) { (void)r.value(); }}) {
    try {
      wrong(gone);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bug);
      EXPECT_NE(std::string(error.what()).find("has_value()"), std::string::npos);
    }
  }
  EXPECT_THROW(there.missing(), Error);
}

TEST(Reading, ZeroAndFalseAreValues) {
  EXPECT_TRUE(Reading<int>(0).has_value());
  EXPECT_TRUE(Reading<bool>(false).has_value());
}

TEST(Reading, TransformsTheValueOrKeepsTheReason) {
  const auto text_of = [](int value) { return std::to_string(value); };
  const auto there = Reading<int>(3).transform(text_of);
  static_assert(std::is_same_v<decltype(there), const Reading<std::string>>);
  EXPECT_EQ(there, Reading<std::string>("3"));
  EXPECT_EQ(Reading<int>(hidden).transform(text_of), Reading<std::string>(hidden));
}

TEST(Reading, IsTheSameOnlyWithTheSameContent) {
  EXPECT_EQ(Reading<int>(3), Reading<int>(3));
  EXPECT_FALSE(Reading<int>(3) == Reading<int>(4));
  EXPECT_FALSE(Reading<int>(3) == Reading<int>(hidden));
  EXPECT_FALSE(Reading<int>(hidden) == Reading<int>(Missing{"not-permitted", "another detail"}));
}

TEST(Reading, GivesMembersOfItsValue) { EXPECT_EQ(Reading<std::string>("abc")->size(), 3U); }

}  // namespace
}  // namespace assay
