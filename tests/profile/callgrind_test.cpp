// SPDX-License-Identifier: MIT
//
// What callgrind leaves, as text: the tests of the command run valgrind itself.
#include "assay/profile/callgrind.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "assay/profile/profile.hpp"
#include "companions.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

using record::put;
using testing::HasSubstr;
using testing::IsEmpty;

// The head of a file that valgrind 3.19 wrote with --cache-sim=yes.
constexpr const char* output = R"(# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 22301
cmd:  ./a
part: 1


desc: I1 cache: 32768 B, 64 B, 8-way associative

events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 15027 3010 3001 0 7
totals: 15027 3010 3001 0 7
)";

TEST(ParseCallgrind, ReadsTotalsByEvent) {
  const auto counts = parse_callgrind(output, "out");
  EXPECT_EQ(counts.at("Ir"), 15027U);
  EXPECT_EQ(counts.at("D1mr"), 7U);
  EXPECT_EQ(counts.at("DLmw"), 0U);  // zeros at the end may be left out
  EXPECT_EQ(counts.size(), 9U);
}

TEST(ParseCallgrind, RefusesWhatIsNoSuchFile) {
  for (const char* text :
       {"", "events: Ir\n", "summary: 5\n", "events: Ir\nsummary: 5 6\n",
        "events: Ir\nsummary: five\n", "events: Ir\nsummary: -5\n", "events: Ir Ir\nsummary: 5 6\n",
        "events: Ir\nsummary: 99999999999999999999999\n"}) {
    EXPECT_THROW(parse_callgrind(text, "out"), Error) << text;
  }
}

// A companion whose first run left these files.
struct LeftByCallgrind {
  LeftByCallgrind() {
    companion.companion = record::some_companion();
    companion.companion.runs.resize(1);
    companion.companion.runs[0].raw.clear();
    companion.path = folder.path();
  }
  LeftByCallgrind& file(const std::string& name, const std::string& text) {
    put(folder.path() / "data/raw/0001" / name, text);
    run().raw.push_back("raw/0001/" + name);
    return *this;
  }
  record::CounterRun& run() { return companion.companion.runs[0]; }
  std::vector<record::Counter> counters() {
    companion.counters = counters_of(companion.companion, run(), folder.path() / "data");
    return companion.counters;
  }
  std::string reason() {
    const auto all = counters();
    EXPECT_EQ(all.size(), 2U);
    for (const auto& counter : all) EXPECT_FALSE(counter.value);
    EXPECT_EQ(run().missing.size(), 1U);
    return all.front().value ? "" : all.front().value.missing().reason;
  }
  record::TemporaryDirectory folder;
  record::CompanionRecord companion;
};

TEST(Callgrind, CountsAreThoseOfItsFile) {
  LeftByCallgrind left;
  left.file("callgrind.out", "").file("callgrind.out-01", output);
  const auto counters = left.counters();
  ASSERT_EQ(counters.size(), 2U);
  EXPECT_EQ(*counters[0].value, 15027);
  EXPECT_EQ(counters[0].unit, "instructions");
  EXPECT_EQ(counters[0].calls, 10);
  EXPECT_EQ(*counters[1].value, 0);
  EXPECT_THAT(left.run().missing, IsEmpty());
}

TEST(Callgrind, SimulatesCachesInTheStateWarmOnly) {
  for (const bool is_own : {false, true}) {
    LeftByCallgrind left;
    left.file("callgrind.out-01", output);
    (is_own ? left.run().own_state : left.run().state) = "cold";
    const auto counters = left.counters();
    EXPECT_TRUE(counters[0].value.has_value());
    EXPECT_EQ(counters[1].value.missing().reason, "not-simulated");
  }
}

TEST(Callgrind, CountsNoThreadsThatItDoesNotSee) {
  LeftByCallgrind left;
  left.file("callgrind.out-01", output).file("callgrind.out-02", output);
  EXPECT_EQ(left.reason(), "threads");
}

TEST(Callgrind, SaysWhyNothingWasCounted) {
  LeftByCallgrind none;
  EXPECT_EQ(none.reason(), "no-output");
  LeftByCallgrind unseen;
  unseen.file("callgrind.out-01", "events: Ir\nsummary: 0\n");
  EXPECT_EQ(unseen.reason(), "nothing-counted");
  LeftByCallgrind broken;
  broken.file("callgrind.out-01", "events: Ir\n");
  EXPECT_EQ(broken.reason(), "unreadable");
  LeftByCallgrind late;
  late.run().end = Missing{"timed-out", "the process did not end in time"};
  EXPECT_EQ(late.reason(), "timed-out");
}

TEST(Callgrind, NamesAnInstructionThatValgrindDoesNotKnow) {
  LeftByCallgrind left;
  left.run().end = record::ProcessEnd{true, 4};
  left.file(
      "valgrind.log",
      "==1== Callgrind\nvex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0xFD\n==1== \n");
  EXPECT_EQ(left.reason(), "unsupported-instruction");
  EXPECT_THAT(left.run().missing[0].detail, HasSubstr("0x62 0xF1 0xFD)"));
  EXPECT_THAT(left.run().missing[0].detail, HasSubstr("AVX-512"));
}

TEST(Callgrind, NamesTheEndOfAProgramThatFailed) {
  LeftByCallgrind left;
  left.run().end = record::ProcessEnd{false, 5};
  left.file("program.log", "one\ndemo: no such plan\n");
  EXPECT_EQ(left.reason(), "program-failed");
  EXPECT_EQ(left.run().missing[0].detail, "it exited with status 5: demo: no such plan");
}

TEST(RecomputationDifferences, FindCountersThatTheRawFilesDoNotSay) {
  LeftByCallgrind left;
  std::string of_this_run = output;
  of_this_run.replace(of_this_run.find("./a"), 3,
                      "/x/program --once sum/plain n=64 --device cpu --state warm --calls 10");
  left.file("callgrind.out-01", of_this_run);
  left.counters();
  EXPECT_THAT(recomputation_differences(left.companion), IsEmpty());
  left.companion.counters[0].value = 15026.0;
  EXPECT_THAT(recomputation_differences(left.companion), testing::ElementsAre(HasSubstr("run 1")));
  left.counters();
  left.run().missing.push_back({"invented", ""});
  EXPECT_EQ(recomputation_differences(left.companion).size(), 1U);
}

}  // namespace
}  // namespace assay::profile
