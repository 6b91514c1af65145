// SPDX-License-Identifier: MIT
//
// Channel: lines over one end of a socket pair, used alike by the parent and by a worker. Waiting
// is always bounded: a peer that hangs, dies or floods is a result here, not a hang of ours.
//
// A socket pair rather than two pipes: one descriptor serves both ways, and MSG_NOSIGNAL makes a
// peer's death an ordinary result instead of a SIGPIPE.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace assay::wire {

struct Received {
  enum class Kind {
    line,         // `line` holds it, without its newline
    closed,       // the peer is gone; `line` holds what it left of an unfinished line
    timed_out,    // the deadline passed; an unfinished line is kept for the next call
    interrupted,  // the caller's condition came true
    too_long,     // a line longer than the limit; `line` holds its start; the channel is of no more
                  // use
  };
  Kind kind = Kind::closed;
  std::string line;
};

enum class Sent { all, closed, timed_out, interrupted };

class Channel {
 public:
  using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
  static constexpr std::size_t default_line_limit_bytes = std::size_t{16} << 20;
  static constexpr Clock::time_point no_deadline = Clock::time_point::max();

  // Takes the descriptor, makes it close-on-exec, and closes it in the end.
  explicit Channel(int fd, std::size_t line_limit_bytes = default_line_limit_bytes);
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  // Two connected channels, both close-on-exec: the parent lets the worker's through to the child
  // only. Throws Error{device}.
  static std::pair<Channel, Channel> pair();

  int fd() const noexcept { return fd_; }
  // Gives up waiting when a signal was caught and this then returns true; also asked before
  // waiting. SIGINT, SIGTERM and SIGHUP are held back between the question and the wait, so that
  // none is missed. Call from the thread that gets the signals.
  void give_up_when(std::function<bool()> interrupted) { interrupted_ = std::move(interrupted); }

  // All bytes of the line, which ends with a newline. Throw Error{device} on an error of the
  // system.
  Sent send(std::string_view line, Clock::time_point deadline = no_deadline);
  Received receive(Clock::time_point deadline = no_deadline);

 private:
  enum class Ready { yes, timed_out, interrupted };
  Ready wait(short events, Clock::time_point deadline);

  int fd_;
  std::size_t line_limit_bytes_;
  std::string pending_;
  std::size_t searched_ = 0;  // bytes of pending_ known to hold no newline
  std::function<bool()> interrupted_;
};

}  // namespace assay::wire
