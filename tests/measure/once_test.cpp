// SPDX-License-Identifier: MIT
#include "assay/measure/once.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "assay/base/json.hpp"
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
        Words{"a", "-", "--calls", "2x"}, Words{"a", "-", "--turns", "2"},
        Words{"a", "-", "--event", "1:2:0:0:u"}, Words{"a", "-", "--counts", "file"},
        Words{"a", "-", "--event", "cycles", "--counts", "file"}}) {
    EXPECT_THROW(once_from(words), Error) << words.back();
  }
  EXPECT_EQ(once_from({"a", "-", "--device", "cuda:1"}).device, "cuda:1");
}

// Page faults are counted by the kernel, on every machine: the subject touches pages that nobody
// touched before, as many in each call.
TEST(Once, CountsEventsAroundTheCalls) {
  constexpr std::size_t pages = 64;
  constexpr std::size_t page_bytes = 4096;
  Program program;
  program.problem("p").unchecked().subject("touch", [] {
    void* memory = ::mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * page_bytes] = 1;
    ::munmap(memory, pages * page_bytes);
  });
  const std::string file = testing::TempDir() + "/assay-once-counts.json";
  const std::string page_faults = "1:2:0:0:u";
  const std::string no_such_event = "1:ff:0:0:u";
  printed_by(program, {"touch", "-", "--state", "warm", "--calls", "3", "--counts", file, "--event",
                       no_such_event, "--event", page_faults, "--event", page_faults});
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Json counts = parse_json(text, file);
  std::remove(file.c_str());
  ASSERT_EQ(counts.at("events").size(), 3U);
  const Json& first = counts.at("events")[0];
  EXPECT_EQ(first.at("event"), no_such_event);
  EXPECT_TRUE(first.at("reading").contains("missing"));
  const Json& second = counts.at("events")[1].at("reading");
  if (second.contains("missing") && second.at("missing") == "not-permitted") {
    GTEST_SKIP() << "no event may be counted here: " << second;
  }
  EXPECT_EQ(second.at("value").at("count"), 3 * pages) << text;
  EXPECT_EQ(counts.at("events")[2].at("reading").at("value").at("count"), 3 * pages) << text;
  EXPECT_EQ(counts.at("events")[1].at("group"), counts.at("events")[2].at("group"));
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
