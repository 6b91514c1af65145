// SPDX-License-Identifier: MIT
#include "assay/base/perf_event.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "assay/base/error.hpp"

namespace assay {
namespace {

Missing refused(int code, bool has_leader) {
  const std::string detail = std::string("perf_event_open: ") + std::strerror(code);
  if (code == EACCES || code == EPERM) return {"not-permitted", detail};
  // Of an event alone EINVAL says that the kernel does not know it.
  const bool is_full = code == ENOSPC || code == EBUSY || code == EMFILE;
  if (is_full || (code == EINVAL && has_leader)) return {"no-room", detail};
  return {"not-supported", detail};
}

std::string hex(std::uint64_t value) {
  std::array<char, 20> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16);
  return {text.data(), end.ptr};
}

}  // namespace

std::string PerfEvent::text() const {
  return hex(type) + ":" + hex(config) + ":" + hex(config1) + ":" + hex(config2) + ":" +
         (in_user ? "u" : "") + (in_kernel ? "k" : "");
}

PerfEvent PerfEvent::parse(std::string_view text) {
  const auto fail = [text] {
    throw Error(ErrorKind::usage, "'" + std::string(text.substr(0, 80)) +
                                      "' is no event: expected TYPE:CONFIG:CONFIG1:CONFIG2:MODES, "
                                      "numbers in hexadecimal and modes of u and k");
  };
  std::string_view rest = text;
  const auto number = [&](std::uint64_t most) {
    const auto end = rest.find(':');
    if (end == std::string_view::npos) fail();
    std::uint64_t value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + end, value, 16);
    if (read.ec != std::errc() || read.ptr != rest.data() + end || value > most) fail();
    rest.remove_prefix(end + 1);
    return value;
  };
  PerfEvent event;
  event.type = static_cast<std::uint32_t>(number(UINT32_MAX));
  event.config = number(UINT64_MAX);
  event.config1 = number(UINT64_MAX);
  event.config2 = number(UINT64_MAX);
  event.in_user = rest == "u" || rest == "uk";
  event.in_kernel = rest == "k" || rest == "uk";
  if (!event.in_user && !event.in_kernel) fail();
  return event;
}

PerfEvent processor_cycles() {
  PerfEvent event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  return event;
}

PerfCounter::PerfCounter(const PerfEvent& event, Of whose, int leader_fd, bool is_stopped) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.exclude_user = event.in_user ? 0 : 1;
  attributes.exclude_kernel = event.in_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.inherit = whose == Of::thread_and_its_children ? 1 : 0;
  // Members of a group follow their leader.
  attributes.disabled = is_stopped && leader_fd < 0 ? 1 : 0;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  fd_ = static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, leader_fd,
                                   static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
  if (fd_ < 0) why_ = refused(errno, leader_fd >= 0);
}

PerfCounter PerfCounter::of(const PerfEvent& event, Of whose) {
  return PerfCounter(event, whose, -1, false);
}

PerfCounter PerfCounter::stopped(const PerfEvent& event, Of whose, const PerfCounter* leader) {
  return PerfCounter(event, whose, leader == nullptr ? -1 : leader->fd_, true);
}

PerfCounter::PerfCounter(PerfCounter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), why_(std::move(other.why_)) {}

PerfCounter& PerfCounter::operator=(PerfCounter&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(why_, other.why_);
  return *this;
}

PerfCounter::~PerfCounter() {
  if (fd_ >= 0) ::close(fd_);
}

void PerfCounter::start() const {
  if (fd_ >= 0) ::ioctl(fd_, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void PerfCounter::stop() const {
  if (fd_ >= 0) ::ioctl(fd_, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

Reading<PerfCounter::Count> PerfCounter::read() const {
  if (fd_ < 0) return why_;
  std::array<std::uint64_t, 3> values{};
  if (::read(fd_, values.data(), sizeof values) != static_cast<ssize_t>(sizeof values)) {
    return Missing{"unreadable", "the counter gave no value"};
  }
  return Count{values[0], values[1], values[2]};
}

}  // namespace assay
