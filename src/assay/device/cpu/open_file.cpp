// SPDX-License-Identifier: MIT
#include "assay/device/cpu/open_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

namespace assay::device {
namespace {

// Where /proc/stat of a large machine has its lines of cores; what comes after is not needed.
constexpr std::size_t most_bytes = std::size_t{64} << 10;

constexpr std::string_view separators = " \t:";

}  // namespace

OpenFile::OpenFile(const Sources& sources, const std::string& path)
    : path_(path), fd_(::open(sources.on_disk(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) why_ = missing_file(path, errno);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)),
      why_(std::move(other.why_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(why_, other.why_);
  std::swap(fd_, other.fd_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

Reading<std::string_view> OpenFile::text() {
  if (fd_ < 0) return why_;
  if (buffer_.empty()) buffer_.resize(4096);
  std::size_t size = 0;
  for (;;) {
    const ssize_t read =
        ::pread(fd_, buffer_.data() + size, buffer_.size() - size, static_cast<off_t>(size));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return missing_file(path_, errno);
    size += static_cast<std::size_t>(read);
    if (read == 0 || size < buffer_.size() || size >= most_bytes) break;
    buffer_.resize(std::min(buffer_.size() * 2, most_bytes));
  }
  return std::string_view(buffer_).substr(0, size);
}

Reading<std::int64_t> OpenFile::count() {
  const auto whole = text();
  if (!whole) return whole.missing();
  return count_from(trimmed(*whole));
}

Reading<std::int64_t> OpenFile::count_of(std::string_view key) {
  const auto whole = text();
  if (!whole) return whole.missing();
  const auto line = line_of(*whole, key);
  if (!line) return Missing{"no-such-field", path_ + " has no '" + std::string(key) + "'"};
  return count_from(trimmed(*line));
}

Reading<std::int64_t> count_from(std::string_view text) {
  auto value = integer_from(text);
  if (value && *value < 0) return Missing{"not-understood", "found " + std::to_string(*value)};
  return value;
}

Reading<std::int64_t> times(const Reading<std::int64_t>& value, std::int64_t factor) {
  if (value && *value > std::numeric_limits<std::int64_t>::max() / factor) {
    return Missing{"not-understood", "found " + std::to_string(*value)};
  }
  return value.transform([factor](std::int64_t number) { return number * factor; });
}

Reading<std::string_view> line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(key)) continue;
    const std::string_view rest = line.substr(key.size());
    if (rest.empty() || separators.find(rest.front()) == std::string_view::npos) continue;
    return rest.substr(std::min(rest.find_first_not_of(separators), rest.size()));
  }
  return Missing{"no-such-field", "there is no '" + std::string(key) + "'"};
}

}  // namespace assay::device
