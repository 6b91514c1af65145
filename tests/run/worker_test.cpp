// SPDX-License-Identifier: MIT
//
// What the parent makes of workers that do not keep to the protocol: small shell scripts in place
// of a program.
#include "assay/run/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "assay/run/crew.hpp"

namespace assay::run {
namespace {

namespace failure = experiment::failure;
using testing::HasSubstr;

class WorkerTest : public testing::Test {
 protected:
  WorkerTest()
      : directory_(std::filesystem::temp_directory_path() /
                   ("assay-worker-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~WorkerTest() override { std::filesystem::remove_all(directory_); }

  // A worker whose shell has read the first request into $line; descriptor 9 is the channel.
  Worker worker(const std::string& script, double timeout_s = 20, Offsets offsets = {}) {
    const auto program = directory_ / "program";
    std::ofstream(program) << "#!/bin/bash\n"
                              "eval \"exec 9<>/dev/fd/$ASSAY_FD\" 2>/dev/null || eval \"exec "
                              "9>&$ASSAY_FD 9<&$ASSAY_FD\"\n"
                           << script << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    WorkerLaunch launch;
    launch.program = program;
    launch.build = "program";
    launch.nonce = "n1";
    launch.log = directory_ / "log";
    launch.timeout_s = timeout_s;
    launch.padding_bytes = offsets.padding_bytes;
    launch.heap_bytes = offsets.heap_bytes;
    launch.interrupted = [this] { return interrupted_; };
    auto started = Worker::start(launch);
    return std::move(std::get<Worker>(started));
  }

  experiment::Failure failure_of(const Worker::Asked& asked) {
    const auto* found = std::get_if<experiment::Failure>(&asked);
    EXPECT_NE(found, nullptr);
    return found == nullptr ? experiment::Failure{} : *found;
  }

  const std::string read_one = "read -r line <&9\n";
  // The answer to Idle, request 1.
  const std::string idled = R"(printf '%s\n' '{"assay":1,"nonce":"n1","id":1,"answer":"idle"}' >&9)"
                            "\n";
  std::filesystem::path directory_;
  bool interrupted_ = false;
};

TEST_F(WorkerTest, HandsOnAnAnswerThatKeepsToTheProtocol) {
  Worker well = worker(read_one + idled + read_one);
  const auto asked = well.ask(wire::Idle{}, "block");
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(asked)) << failure_of(asked).message;
  EXPECT_TRUE(std::holds_alternative<wire::Idled>(std::get<wire::Answer>(asked)));
}

TEST_F(WorkerTest, TakesARefusalOfCanariesFromAWorkerThatCannotReadTheRequest) {
  const std::string refusal =
      R"(printf '%s\n' '{"assay":1,"nonce":"n1","id":0,"error":"usage","message":"m","subject":""}' >&9)"
      "\n";
  Worker old = worker(read_one + refusal + read_one + refusal + read_one);
  const auto asked = old.ask(wire::Canary{}, "canary");
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(asked)) << failure_of(asked).message;
  EXPECT_TRUE(std::holds_alternative<wire::Refused>(std::get<wire::Answer>(asked)));
  EXPECT_EQ(failure_of(old.ask(wire::Idle{}, "block")).kind, failure::protocol)
      << "of another request that is an answer to another question";
}

TEST_F(WorkerTest, GivesTheWorkerTheOffsetsOfItsStackAndHeap) {
  Worker told = worker(read_one +
                           R"([ "$ASSAY_HEAP_BYTES" = 48 ] && [ ${#ASSAY_PADDING} = 7 ] || exit 9)"
                           "\n" +
                           idled + read_one,
                       20, {7, 48});
  const auto asked = told.ask(wire::Idle{}, "block");
  EXPECT_TRUE(std::holds_alternative<wire::Answer>(asked)) << failure_of(asked).message;
}

TEST(Offsets, CoverAPageAndFollowFromTheSeedAlone) {
  std::set<std::size_t> paddings;
  std::set<std::size_t> heaps;
  for (std::int64_t trial = 1; trial <= 2000; ++trial) {
    const Offsets offsets = offsets_of_trial(7, trial);
    paddings.insert(offsets.padding_bytes);
    heaps.insert(offsets.heap_bytes);
    EXPECT_EQ(offsets.heap_bytes % 16, 0U);
    EXPECT_EQ(offsets_of_trial(7, trial).heap_bytes, offsets.heap_bytes);
  }
  EXPECT_LT(*paddings.rbegin(), 4096U);
  EXPECT_GT(paddings.size(), 1500U);
  EXPECT_EQ(heaps.size(), 256U);
  EXPECT_EQ(*heaps.rbegin(), 4080U);
  EXPECT_NE(offsets_of_trial(8, 1).padding_bytes, offsets_of_trial(7, 1).padding_bytes);
}

TEST_F(WorkerTest, NamesAProgramThatNeverSpeaks) {
  Worker mute = worker("exit 0");
  EXPECT_EQ(failure_of(mute.ask(wire::Idle{}, "describe")).kind, failure::not_a_program);
}

TEST_F(WorkerTest, NamesAProgramThatHangsFromTheStart) {
  Worker hanging = worker("sleep 1000", 0.2);
  const auto found = failure_of(hanging.ask(wire::Idle{}, "describe"));
  EXPECT_EQ(found.kind, failure::not_a_program);
  EXPECT_THAT(found.message, HasSubstr("no answer"));
}

TEST_F(WorkerTest, StopsAProgramThatPrintsWithoutEndInsteadOfAnswering) {
  std::ofstream(directory_ / "log") << "before";
  Worker printing = worker("exec yes flood", 60);
  const auto found = failure_of(printing.ask(wire::Idle{}, "describe"));
  EXPECT_EQ(found.kind, failure::not_a_program);
  EXPECT_THAT(found.message, HasSubstr("printed more than 16 MiB and gave no answer"));
  EXPECT_THAT(found.message, HasSubstr("its first words: 'flood flood"));
  EXPECT_EQ(std::filesystem::file_size(directory_ / "log"), 6U + (64U << 10));
}

TEST_F(WorkerTest, LetsAProgramPrintAsMuchOnceItHasAnswered) {
  Worker printing = worker(read_one + idled + read_one + "head -c 17M /dev/zero; exit 3");
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(printing.ask(wire::Idle{}, "block")));
  EXPECT_EQ(failure_of(printing.ask(wire::Idle{}, "block")).kind, failure::exited);
  EXPECT_EQ(std::filesystem::file_size(directory_ / "log"), 17U << 20);
}

TEST_F(WorkerTest, NamesAHangAfterItHasAnswered) {
  Worker hanging = worker(read_one + idled + "sleep 1000", 5);
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(hanging.ask(wire::Idle{}, "block")));
  Worker impatient = worker(read_one + idled + "sleep 1000", 0.5);
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(impatient.ask(wire::Idle{}, "block")));
  EXPECT_EQ(failure_of(impatient.ask(wire::Idle{}, "block")).kind, failure::timed_out);
}

TEST_F(WorkerTest, NamesAnExitInTheMiddle) {
  Worker leaving = worker(read_one + idled + read_one + "exit 3");
  ASSERT_TRUE(std::holds_alternative<wire::Answer>(leaving.ask(wire::Idle{}, "block")));
  const auto found = failure_of(leaving.ask(wire::Idle{}, "block"));
  EXPECT_EQ(found.kind, failure::exited);
  EXPECT_THAT(found.message, HasSubstr("status 3"));
}

TEST_F(WorkerTest, NamesTheSignalOfACrash) {
  Worker crashing = worker(read_one + "kill -SEGV $$");
  const auto found = failure_of(crashing.ask(wire::Idle{}, "block"));
  EXPECT_EQ(found.kind, failure::crashed);
  EXPECT_THAT(found.message, HasSubstr("signal 11"));
}

TEST_F(WorkerTest, QuotesGarbage) {
  Worker babbling = worker(read_one + "echo hello >&9; sleep 1000");
  const auto found = failure_of(babbling.ask(wire::Idle{}, "block"));
  EXPECT_EQ(found.kind, failure::protocol);
  EXPECT_THAT(found.message, HasSubstr("hello"));
}

TEST_F(WorkerTest, QuotesALineThatWasCutOff) {
  Worker cut = worker(read_one + R"(printf '{"assay":1,"no' >&9)");
  const auto found = failure_of(cut.ask(wire::Idle{}, "block"));
  EXPECT_EQ(found.kind, failure::protocol);
  EXPECT_THAT(found.message, HasSubstr("middle of a line"));
}

TEST_F(WorkerTest, RefusesAnAnswerWithAnotherNonceOrNumber) {
  Worker stale =
      worker(read_one +
             R"(printf '%s\n' '{"assay":1,"nonce":"n0","id":1,"answer":"idle"}' >&9; sleep 1000)");
  EXPECT_EQ(failure_of(stale.ask(wire::Idle{}, "block")).kind, failure::protocol);
  Worker early =
      worker(read_one +
             R"(printf '%s\n' '{"assay":1,"nonce":"n1","id":2,"answer":"idle"}' >&9; sleep 1000)");
  EXPECT_EQ(failure_of(early.ask(wire::Idle{}, "block")).kind, failure::protocol);
}

TEST_F(WorkerTest, RefusesAnAnswerOfAnotherKind) {
  Worker confused = worker(read_one + idled + "sleep 1000");
  EXPECT_EQ(failure_of(confused.ask(wire::End{}, "end")).kind, failure::protocol);
}

TEST_F(WorkerTest, StopsWaitingWhenTheUserAsksToStop) {
  Worker patient = worker(read_one + "sleep 1000");
  interrupted_ = true;
  EXPECT_TRUE(std::holds_alternative<Interrupted>(patient.ask(wire::Idle{}, "block")));
}

TEST_F(WorkerTest, NamesAProgramThatIsNotThere) {
  WorkerLaunch launch;
  launch.program = directory_ / "nowhere";
  launch.build = "candidate";
  launch.log = directory_ / "log";
  launch.interrupted = [] { return false; };
  const auto started = Worker::start(launch);
  const auto* found = std::get_if<experiment::Failure>(&started);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, failure::missing_program);
  EXPECT_EQ(found->build, "candidate");
  EXPECT_THAT(found->message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace assay::run
