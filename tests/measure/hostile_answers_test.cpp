// SPDX-License-Identifier: MIT
//
// What the parent reads from a worker that sends what it should not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/wire/messages.hpp"

namespace {

using namespace assay;
using namespace assay::wire;
using testing::HasSubstr;

const Envelope envelope{"n0nce", 7};

std::string trouble_with_line(std::string_view line) {
  try {
    answer_from_line(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::worker);
    return error.what();
  }
  return "no error";
}

std::string trouble_with(const Answer& answer) {
  const std::string line = to_line(envelope, answer);
  return trouble_with_line(std::string_view(line).substr(0, line.size() - 1));
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

TEST(HostileAnswer, BytesThatAreNotPrintableDoNotReachTheError) {
  const std::string message = trouble_with_line("\xff\xfe{\x01");
  EXPECT_TRUE(is_printable(message)) << message;
  EXPECT_THAT(message, HasSubstr("'??{?'"));
  for (const char* line : {"{\"assay\": \"\xff\xfe\"}", "{\"\xff\": 1}", "\"\xff",
                           R"({"assay":1,"nonce":"n","id":1,"answer":"\u0007\u00e9"})"}) {
    EXPECT_TRUE(is_printable(trouble_with_line(line))) << trouble_with_line(line);
  }
}

TEST(HostileAnswer, TheErrorIsShortHoweverLongTheLineIs) {
  EXPECT_LT(trouble_with_line("\"" + std::string(100'000, 'x')).size(), 600U);
  EXPECT_LT(trouble_with_line("\"" + std::string(100'000, '\xff')).size(), 600U);
}

TEST(HostileAnswer, TextsThatCannotStandInATableAreRefused) {
  for (const std::string text : {"a,b", "a\"b", "a\nb", "a\x01", "\x7f"}) {
    BlockDone flagged;
    flagged.samples = {{"a", 1, 0, text, {}}};
    EXPECT_THAT(trouble_with(flagged), HasSubstr("flags '")) << text;
    BlockDone named;
    named.samples = {{text, 1, 0, "", {}}};
    EXPECT_THAT(trouble_with(named), HasSubstr("subject '")) << text;
    BlockDone failed;
    failed.failures.emplace_back();
    failed.failures.back().kind = experiment::failure::subject_error;
    failed.failures.back().subject = text;
    EXPECT_THAT(trouble_with(failed), HasSubstr("subject '")) << text;
    Prepared prepared;
    prepared.preparations = {{text, 1, 1}};
    EXPECT_THAT(trouble_with(prepared), HasSubstr("subject '")) << text;
    EXPECT_THAT(trouble_with(Refused{"usage", "message", text}), HasSubstr("subject '")) << text;
    experiment::ProgramDescription description;
    description.program = "demo";
    description.device = {"cpu", "some processor", {}};
    description.boundaries = {"call"};
    EXPECT_EQ(trouble_with(description), "no error");
    description.timers = {{text, {"call"}, 1.0, 1.0}};
    EXPECT_THAT(trouble_with(description), HasSubstr("timer '")) << text;
  }
}

TEST(HostileAnswer, SentencesMayHoldAnythingAndNamesLettersOfAnyLanguage) {
  EXPECT_EQ(trouble_with(Refused{"usage", "a, \"b\"\n", ""}), "no error");
  BlockDone fine;
  fine.samples = {{"gr\u00f6\u00dfer", 1, 0, "switched migrated", {}}};
  EXPECT_EQ(trouble_with(fine), "no error");
}

}  // namespace
