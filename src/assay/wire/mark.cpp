// SPDX-License-Identifier: MIT
#include "assay/wire/mark.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/wire/messages.hpp"

namespace assay::wire {
namespace {

constexpr std::size_t page_bytes = 4096;

char* map_page(int fd) {
  void* memory = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

}  // namespace

Mark Mark::create() {
  Mark mark;
  mark.fd_ = memfd_create("assay-mark", MFD_CLOEXEC);
  if (mark.fd_ < 0 || ftruncate(mark.fd_, page_bytes) != 0 ||
      (mark.page_ = map_page(mark.fd_)) == nullptr) {
    throw Error(ErrorKind::device,
                std::string("cannot make the page in which a worker notes its subject: ") +
                    std::strerror(errno),
                errno);
  }
  return mark;
}

Mark Mark::from_environment() {
  Mark mark;
  const char* text = std::getenv(mark_fd_variable);
  if (text == nullptr) return mark;
  const std::string_view digits(text);
  int fd = -1;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), fd);
  struct stat status {};
  // Only a file of exactly our size is the page: a stale number may be any descriptor of the
  // user's.
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || fd < 0 ||
      fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != page_bytes) {
    return mark;
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  mark.page_ = map_page(fd);
  if (mark.page_ != nullptr) mark.fd_ = fd;
  return mark;
}

Mark::Mark(Mark&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), page_(std::exchange(other.page_, nullptr)) {}

Mark& Mark::operator=(Mark&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(page_, other.page_);
  return *this;
}

Mark::~Mark() {
  if (page_ != nullptr) munmap(page_, page_bytes);
  if (fd_ >= 0) close(fd_);
}

void Mark::set(const std::string& subject) noexcept {
  if (page_ == nullptr) return;
  const std::size_t length = std::min(subject.size(), page_bytes - 1);
  std::memcpy(page_, subject.data(), length);
  page_[length] = '\0';
  // The subject that runs next may crash at once: the stores must not be moved behind its call.
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

std::string Mark::subject() const {
  if (page_ == nullptr) return {};
  return std::string(page_, strnlen(page_, page_bytes));
}

}  // namespace assay::wire
