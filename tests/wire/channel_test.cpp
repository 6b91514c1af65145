// SPDX-License-Identifier: MIT
#include "assay/wire/channel.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>

namespace {

using namespace assay::wire;
using Kind = Received::Kind;

Channel::Clock::time_point now() { return Channel::Clock::now(); }

void send_raw(const Channel& channel, std::string_view bytes) {
  ASSERT_EQ(::send(channel.fd(), bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
}

TEST(Channel, DeliversLinesInOrder) {
  auto [a, b] = Channel::pair();
  EXPECT_EQ(a.send("one\n"), Sent::all);
  EXPECT_EQ(a.send("two\n"), Sent::all);
  EXPECT_EQ(b.receive().line, "one");
  EXPECT_EQ(b.receive().line, "two");
}

TEST(Channel, GoesBothWays) {
  auto [a, b] = Channel::pair();
  a.send("ask\n");
  EXPECT_EQ(b.receive().line, "ask");
  b.send("answer\n");
  EXPECT_EQ(a.receive().line, "answer");
}

TEST(Channel, PutsPartialLinesTogether) {
  auto [a, b] = Channel::pair();
  send_raw(a, "hel");
  EXPECT_EQ(b.receive(now()).kind, Kind::timed_out);
  send_raw(a, "lo\nwor");
  const Received first = b.receive();
  EXPECT_EQ(first.kind, Kind::line);
  EXPECT_EQ(first.line, "hello");
  send_raw(a, "ld\n");
  EXPECT_EQ(b.receive().line, "world");
}

TEST(Channel, AnEmptyLineIsALine) {
  auto [a, b] = Channel::pair();
  send_raw(a, "\n");
  const Received received = b.receive();
  EXPECT_EQ(received.kind, Kind::line);
  EXPECT_EQ(received.line, "");
}

TEST(Channel, ADeadlineThatHasPassedTimesOut) {
  auto [a, b] = Channel::pair();
  EXPECT_EQ(b.receive(now() - std::chrono::seconds(1)).kind, Kind::timed_out);
}

TEST(Channel, AClosedPeerIsAResultWithWhatItLeft) {
  auto [a, b] = Channel::pair();
  send_raw(a, "whole\nhal");
  { const Channel gone = std::move(a); }
  EXPECT_EQ(b.receive().line, "whole");
  const Received rest = b.receive();
  EXPECT_EQ(rest.kind, Kind::closed);
  EXPECT_EQ(rest.line, "hal");
  EXPECT_EQ(b.receive().kind, Kind::closed);
}

TEST(Channel, SendingToAClosedPeerIsAResultAndNoSignal) {
  auto [a, b] = Channel::pair();
  { const Channel gone = std::move(a); }
  EXPECT_EQ(b.send("anyone?\n"), Sent::closed);
}

TEST(Channel, SendingToAPeerThatDoesNotReadTimesOut) {
  auto [a, b] = Channel::pair();
  const std::string line = std::string(std::size_t{8} << 20, 'x') + "\n";
  EXPECT_EQ(a.send(line, now() + std::chrono::milliseconds(5)), Sent::timed_out);
}

TEST(Channel, ALineLongerThanTheLimitIsTooLong) {
  auto [a, b] = Channel::pair();
  Channel narrow(dup(b.fd()), 10);
  send_raw(a, "0123456789\n");
  EXPECT_EQ(narrow.receive().line, "0123456789");
  send_raw(a, "0123456789a\n");
  const Received received = narrow.receive();
  EXPECT_EQ(received.kind, Kind::too_long);
  EXPECT_THAT(received.line, testing::StartsWith("0123456789a"));
}

TEST(Channel, ALineWithoutEndIsTooLongAsSoonAsTheLimitIsPassed) {
  auto [a, b] = Channel::pair();
  Channel narrow(dup(b.fd()), 10);
  send_raw(a, std::string(100, 'x'));
  EXPECT_EQ(narrow.receive().kind, Kind::too_long);
}

TEST(Channel, AskedToGiveUpBeforeWaitingItDoes) {
  auto [a, b] = Channel::pair();
  b.give_up_when([] { return true; });
  EXPECT_EQ(b.receive().kind, Kind::interrupted);
}

TEST(Channel, AnInterruptedWaitKeepsWhatHasCome) {
  auto [a, b] = Channel::pair();
  bool stop = true;
  b.give_up_when([&] { return stop; });
  send_raw(a, "kept\n");
  EXPECT_EQ(b.receive().kind, Kind::interrupted);
  stop = false;
  EXPECT_EQ(b.receive().line, "kept");
}

volatile std::sig_atomic_t interrupts = 0;

TEST(Channel, ASignalThatCameBetweenQuestionAndWaitIsNotMissed) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { interrupts = 1; };
  ASSERT_EQ(sigaction(SIGINT, &action, &before), 0);
  interrupts = 0;
  auto [a, b] = Channel::pair();
  bool asked = false;
  // The signal comes right after the answer "go on": without holding it back the wait would last
  // for ever.
  b.give_up_when([&] {
    const bool stop = interrupts != 0;
    if (!asked) std::raise(SIGINT);
    asked = true;
    return stop;
  });
  EXPECT_EQ(b.receive().kind, Kind::interrupted);
  sigaction(SIGINT, &before, nullptr);
}

TEST(Channel, IsClosedOnExec) {
  auto [a, b] = Channel::pair();
  EXPECT_NE(fcntl(a.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
