// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cycles.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay::device {
namespace {

Missing refused(int code) {
  const bool may_not = code == EACCES || code == EPERM;
  return Missing{may_not ? "not-permitted" : "not-supported",
                 std::string("perf_event_open: ") + std::strerror(code)};
}

}  // namespace

Cycles::Cycles() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
  fd_ = static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd_ < 0) why_ = refused(errno);
}

Cycles::~Cycles() {
  if (fd_ >= 0) ::close(fd_);
}

Reading<Cycles::Count> Cycles::read() const {
  if (fd_ < 0) return why_;
  std::array<std::uint64_t, 2> values{};
  const ssize_t size = ::read(fd_, values.data(), sizeof values);
  if (size != static_cast<ssize_t>(sizeof values)) {
    return Missing{"unreadable", "the counter of cycles gave no value"};
  }
  if (!std::in_range<std::int64_t>(values[0]) || !std::in_range<std::int64_t>(values[1])) {
    return Missing{"not-understood", "the counter of cycles is beyond every time"};
  }
  return Count{static_cast<std::int64_t>(values[0]), static_cast<std::int64_t>(values[1])};
}

}  // namespace assay::device
