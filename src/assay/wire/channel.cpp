// SPDX-License-Identifier: MIT
#include "assay/wire/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "assay/base/error.hpp"

namespace assay::wire {
namespace {

[[noreturn]] void fail(const char* what, int code) {
  throw Error(ErrorKind::device,
              std::string("cannot ") + what + " the worker channel: " + std::strerror(code), code);
}

// Holds the signals back that ask a program to stop; `before` is what ppoll lets through while it
// waits.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &stop, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

timespec time_left(Channel::Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::max(deadline - Channel::Clock::now(), Channel::Clock::duration::zero()));
  timespec result{};
  result.tv_sec = static_cast<time_t>(left.count() / 1'000'000'000);
  result.tv_nsec = static_cast<long>(left.count() % 1'000'000'000);
  return result;
}

bool peer_is_gone(int code) { return code == EPIPE || code == ECONNRESET; }

}  // namespace

Channel::Channel(int fd, std::size_t line_limit_bytes)
    : fd_(fd), line_limit_bytes_(line_limit_bytes) {
  ASSAY_EXPECTS(fd >= 0);
  if (fcntl(fd_, F_SETFD, FD_CLOEXEC) != 0) fail("open", errno);
}

Channel::Channel(Channel&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      line_limit_bytes_(other.line_limit_bytes_),
      pending_(std::move(other.pending_)),
      searched_(std::exchange(other.searched_, 0)),
      interrupted_(std::move(other.interrupted_)) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(line_limit_bytes_, other.line_limit_bytes_);
  std::swap(pending_, other.pending_);
  std::swap(searched_, other.searched_);
  std::swap(interrupted_, other.interrupted_);
  return *this;
}

Channel::~Channel() {
  if (fd_ >= 0) close(fd_);
}

std::pair<Channel, Channel> Channel::pair() {
  std::array<int, 2> fds{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) fail("open", errno);
  return {Channel(fds[0]), Channel(fds[1])};
}

Channel::Ready Channel::wait(short events, Clock::time_point deadline) {
  const SignalsHeldBack held;
  for (;;) {
    if (interrupted_ && interrupted_()) return Ready::interrupted;
    const bool endless = deadline == no_deadline;
    const timespec left = endless ? timespec{} : time_left(deadline);
    pollfd polled{fd_, events, 0};
    const int count = ppoll(&polled, 1, endless ? nullptr : &left, &held.before());
    if (count > 0) return Ready::yes;
    if (count == 0) return Ready::timed_out;
    if (errno != EINTR) fail("wait for", errno);
  }
}

Sent Channel::send(std::string_view line, Clock::time_point deadline) {
  ASSAY_EXPECTS(!line.empty() && line.find('\n') == line.size() - 1);
  while (!line.empty()) {
    switch (wait(POLLOUT, deadline)) {
      case Ready::timed_out:
        return Sent::timed_out;
      case Ready::interrupted:
        return Sent::interrupted;
      case Ready::yes:
        break;
    }
    const ssize_t count = ::send(fd_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      line.remove_prefix(static_cast<std::size_t>(count));
    } else if (peer_is_gone(errno)) {
      return Sent::closed;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      fail("write to", errno);
    }
  }
  return Sent::all;
}

Received Channel::receive(Clock::time_point deadline) {
  std::array<char, 65536> buffer;
  for (;;) {
    const auto newline = pending_.find('\n', searched_);
    if (newline != std::string::npos && newline <= line_limit_bytes_) {
      Received received{Received::Kind::line, pending_.substr(0, newline)};
      pending_.erase(0, newline + 1);
      searched_ = 0;
      return received;
    }
    searched_ = pending_.size();
    if (pending_.size() > line_limit_bytes_) {
      return {Received::Kind::too_long, pending_.substr(0, 200)};
    }
    switch (wait(POLLIN, deadline)) {
      case Ready::timed_out:
        return {Received::Kind::timed_out, {}};
      case Ready::interrupted:
        return {Received::Kind::interrupted, {}};
      case Ready::yes:
        break;
    }
    const ssize_t count = recv(fd_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      pending_.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || peer_is_gone(errno)) {
      searched_ = 0;
      return {Received::Kind::closed, std::exchange(pending_, {})};
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      fail("read from", errno);
    }
  }
}

}  // namespace assay::wire
