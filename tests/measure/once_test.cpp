// SPDX-License-Identifier: MIT
#include "assay/measure/once.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "assay/measure/cell.hpp"
#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::HasSubstr;

// What was called, and the window, in the order of time.
struct CallLog {
  std::string text;
  Program program() {
    Program program;
    Problem& problem = program.problem("p");
    problem.unchecked();
    problem.state("dusty", [this](Context&) { text += "dust "; });
    problem.subject("a", [this] { text += "a "; });
    problem.subject("dusty-a", [this] { text += "a "; }).in_state("dusty");
    return program;
  }
  class Window final : public CountingWindow {
   public:
    explicit Window(CallLog& log) : log_(log) {}
    void open() override { log_.text += "( "; }
    void close() override { log_.text += ") "; }

   private:
    CallLog& log_;
  };
};

std::string printed_by(const Program& program, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  once(program, once_from(arguments), out);
  return out.str();
}

TEST(Once, CallsOnceAndNothingBefore) {
  CallLog log;
  EXPECT_THAT(printed_by(log.program(), {"a", "-"}), HasSubstr("p/a on -: one call done"));
  EXPECT_EQ(log.text, "a ");
}

TEST(Once, IsMadeReadyForAsASampleIs) {
  CallLog log;
  printed_by(log.program(), {"a", "-", "--state", "warm", "--calls", "2"});
  EXPECT_EQ(log.text, "a a a a ");
  log.text.clear();
  printed_by(log.program(), {"a", "-", "--state", "dusty"});
  EXPECT_EQ(log.text, "a dust a ");
  log.text.clear();
  printed_by(log.program(), {"dusty-a", "-", "--state", "warm"});
  EXPECT_EQ(log.text, "a dust a ");
}

TEST(Once, RefusesMoreCallsThanTheStateAllows) {
  CallLog log;
  EXPECT_THROW(printed_by(log.program(), {"a", "-", "--state", "dusty", "--calls", "2"}), Error);
  EXPECT_EQ(log.text, "a ");
}

TEST(Once, AsksWhichProblemIsMeant) {
  Program program;
  program.problem("p").unchecked().subject("a", [] {});
  program.problem("q").unchecked().subject("a", [] {});
  EXPECT_THROW(printed_by(program, {"a", "-"}), Error);
  EXPECT_NO_THROW(printed_by(program, {"q/a", "-"}));
  EXPECT_THROW(printed_by(program, {"r/a", "-"}), Error);
  EXPECT_THROW(printed_by(program, {"q/b", "-"}), Error);
  EXPECT_THROW(printed_by(program, {"q/a", "n=1"}), Error);
}

TEST(Once, RefusesOptionsThatMakeNoSense) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"a"}, Words{"a", "-", "--calls"}, Words{"a", "-", "--calls", "0"},
        Words{"a", "-", "--calls", "2x"}, Words{"a", "-", "--turns", "2"}}) {
    EXPECT_THROW(once_from(words), Error) << words.back();
  }
  EXPECT_EQ(once_from({"a", "-", "--device", "cuda:1"}).device, "cuda:1");
}

TEST(Once, LetsThroughWhatTheSubjectThrows) {
  EXPECT_THROW(printed_by(sample_program(), {"throws", "n=16"}), std::runtime_error);
}

TEST(Cell, CountsCallsWithNothingElseInTheWindow) {
  CallLog log;
  const Program program = log.program();
  auto device = fake_of(R"("call_ns": 1000)");
  wire::Mark mark = wire::Mark::from_environment();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"a"};
  Cell cell(*program.find("p"), device, mark, request, {"none"});
  CallLog::Window window(log);
  cell.count("a", 3, window);
  EXPECT_EQ(log.text, "a ( a a a ) ");
}

}  // namespace
