// SPDX-License-Identifier: MIT
#include "assay/base/json.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename F>
std::string refusal_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

std::string parse_refusal(std::string_view text) {
  return refusal_of([&] { parse_json(text, "plan.json"); });
}

TEST(JsonText, IsIndentedByTwoAndEndsWithANewline) {
  EXPECT_EQ(json_text(Json{{"b", 1}, {"a", Json::array({1, 2})}}),
            "{\n  \"b\": 1,\n  \"a\": [\n    1,\n    2\n  ]\n}\n");
}

TEST(JsonText, ReadsBackAsTheSameBytes) {
  const std::string text = json_text(Json{{"z", 0.1}, {"a", nullptr}, {"m", "é\n"}});
  EXPECT_EQ(json_text(parse_json(text, "test")), text);
}

TEST(ParseJson, NamesWhatItCouldNotRead) {
  EXPECT_THAT(parse_refusal("{\"a\": "), AllOf(HasSubstr("plan.json"), HasSubstr("parse error")));
}

TEST(ParseJson, RefusesNumbersThatAreNone) {
  parse_refusal("{\"a\": NaN}");
  parse_refusal("{\"a\": Infinity}");
  parse_refusal("[-Infinity]");
  parse_refusal("[1e999]");
}

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_NO_THROW(parse_json(nested(100), "w"));
  EXPECT_THROW(parse_json(nested(300), "w"), Error);
  EXPECT_THROW(parse_json(nested(1'000'000), "w"), Error);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THROW(parse_json(objects, "w"), Error);
}

TEST(ParseJson, RefusesWhatFollowsTheValue) {
  parse_refusal("{} {}");
  parse_refusal("");
}

TEST(ParseJson, RefusesAKeyThatStandsTwice) {
  EXPECT_THAT(parse_refusal(R"({"a": 1, "b": 2, "a": 1})"), HasSubstr("'a' stands twice"));
}

TEST(ParseJson, RefusesARepeatedKeyInAnInnerObject) {
  EXPECT_THAT(parse_refusal(R"({"a": [{"x": 1, "x": 2}]})"), HasSubstr("'x' stands twice"));
  EXPECT_THAT(parse_refusal(R"({"a": {"x": 1}, "a": {"y": 1}})"), HasSubstr("'a' stands twice"));
}

TEST(ParseJson, TakesTheSameKeyInDifferentObjects) {
  EXPECT_EQ(parse_json(R"({"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]})", "test")["b"][1]["a"], 3);
}

TEST(JsonOfReading, HoldsTheValue) { EXPECT_EQ(json_of(Reading<int>(3)).dump(), R"({"value":3})"); }

TEST(JsonOfReading, HoldsTheReasonOfAMissingOne) {
  EXPECT_EQ(json_of(Reading<int>(Missing{"not-permitted", "perf_event_paranoid is 3"})).dump(),
            R"({"missing":"not-permitted","detail":"perf_event_paranoid is 3"})");
}

// ObjectReader keeps a reference: each test holds its object.
class ObjectReaderTest : public testing::Test {
 protected:
  const Json json_ = parse_json(
      R"({"whole": 3, "minus": -3, "half": 0.5, "yes": true, "text": "t", "none": null,
          "list": [1], "big": 18446744073709551615})",
      "test");
  ObjectReader reader_{json_, "plan.json: protocol"};
};

TEST_F(ObjectReaderTest, GivesEachMemberByItsType) {
  EXPECT_EQ(reader_.take<int>("whole"), 3);
  EXPECT_EQ(reader_.take<int>("minus"), -3);
  EXPECT_EQ(reader_.take<double>("half"), 0.5);
  EXPECT_TRUE(reader_.take<bool>("yes"));
  EXPECT_EQ(reader_.take<std::string>("text"), "t");
  EXPECT_EQ(reader_.take<std::uint64_t>("big"), std::numeric_limits<std::uint64_t>::max());
}

TEST_F(ObjectReaderTest, TakesAWholeNumberForAFloat) {
  EXPECT_EQ(reader_.take<double>("whole"), 3.0);
}

TEST_F(ObjectReaderTest, RefusesAnotherType) {
  EXPECT_THAT(refusal_of([&] { reader_.take<int>("half"); }),
              AllOf(HasSubstr("plan.json: protocol"), HasSubstr("'half'"), HasSubstr("an integer"),
                    HasSubstr("0.5")));
  refusal_of([&] { reader_.take<int>("text"); });
  refusal_of([&] { reader_.take<int>("yes"); });
  refusal_of([&] { reader_.take<unsigned>("minus"); });
  refusal_of([&] { reader_.take<bool>("whole"); });
  refusal_of([&] { reader_.take<double>("text"); });
  refusal_of([&] { reader_.take<double>("none"); });
  refusal_of([&] { reader_.take<std::string>("whole"); });
  refusal_of([&] { reader_.take<std::string>("list"); });
}

TEST_F(ObjectReaderTest, RefusesANumberThatDoesNotFitItsType) {
  refusal_of([&] { reader_.take<std::int64_t>("big"); });
  refusal_of([&] { reader_.take<int>("big"); });
  refusal_of([&] { reader_.take<std::uint32_t>("big"); });
}

TEST_F(ObjectReaderTest, SaysWhichMemberIsMissing) {
  EXPECT_THAT(refusal_of([&] { reader_.take<int>("looks"); }),
              AllOf(HasSubstr("plan.json: protocol"), HasSubstr("'looks' is missing")));
}

TEST_F(ObjectReaderTest, FallsBackOnlyWhenTheMemberIsAbsent) {
  EXPECT_EQ(reader_.take_or<int>("absent", 7), 7);
  EXPECT_EQ(reader_.take_or<int>("whole", 7), 3);
  refusal_of([&] { reader_.take_or<int>("none", 7); });
  refusal_of([&] { reader_.take_or<int>("text", 7); });
}

TEST_F(ObjectReaderTest, RefusesMembersThatNobodyTook) {
  for (const char* key : {"whole", "minus", "half", "yes", "text", "none", "list"}) {
    reader_.member(key);
  }
  EXPECT_THAT(refusal_of([&] { reader_.finish(); }), HasSubstr("unknown key 'big'"));
  reader_.member("big");
  EXPECT_NO_THROW(reader_.finish());
}

TEST_F(ObjectReaderTest, AskingWhetherAMemberIsThereDoesNotTakeIt) {
  EXPECT_TRUE(reader_.has("whole"));
  EXPECT_FALSE(reader_.has("absent"));
  EXPECT_THAT(refusal_of([&] { reader_.finish(); }), HasSubstr("unknown key 'whole'"));
}

TEST(ObjectReader, RefusesWhatIsNotAnObject) {
  const Json json = Json::array();
  EXPECT_THAT(refusal_of([&] { ObjectReader(json, "plan.json"); }),
              AllOf(HasSubstr("plan.json"), HasSubstr("array")));
}

TEST(ObjectReader, ReadsBackAReading) {
  const Json json{{"there", json_of(Reading<double>(0.5))},
                  {"gone", json_of(Reading<double>(Missing{"too-few-values", "1 trial"}))}};
  ObjectReader reader(json, "result.json");
  EXPECT_EQ(reader.take_reading<double>("there"), Reading<double>(0.5));
  EXPECT_EQ(reader.take_reading<double>("gone"),
            Reading<double>(Missing{"too-few-values", "1 trial"}));
  EXPECT_NO_THROW(reader.finish());
}

TEST(ObjectReader, RefusesAReadingThatIsNeitherOrBoth) {
  const Json json{{"empty", Json::object()},
                  {"both", {{"value", 1}, {"missing", "x"}, {"detail", "y"}}},
                  {"without-detail", {{"missing", "x"}}},
                  {"bare", 1}};
  ObjectReader reader(json, "result.json");
  EXPECT_THAT(refusal_of([&] { reader.take_reading<int>("empty"); }),
              HasSubstr("result.json.empty"));
  refusal_of([&] { reader.take_reading<int>("both"); });
  refusal_of([&] { reader.take_reading<int>("without-detail"); });
  refusal_of([&] { reader.take_reading<int>("bare"); });
}

}  // namespace
}  // namespace assay
