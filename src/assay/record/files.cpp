// SPDX-License-Identifier: MIT
#include "assay/record/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace assay::record {
namespace {

namespace fs = std::filesystem;

const char* what_to_do(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "Make room there; what was written before is kept.";
    case EFBIG:
      return "A limit on the size of files is in force (ulimit -f): raise it; what was written "
             "before is kept.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Make the directory writable, or work in another one.";
    case EEXIST:
      return "Nothing that exists is overwritten: move it away, or choose another name.";
    case ENOENT:
      return "A directory above it is missing or was removed meanwhile.";
    default:
      return "Check the file system that it lies on.";
  }
}

// Holds SIGXFSZ back, which would end the process where write(2) could say EFBIG.
class FileSizeSignalHeldBack {
 public:
  FileSizeSignalHeldBack() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalHeldBack() {
    const int code = errno;
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&signal_, nullptr, &at_once) == -1 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = code;
  }
  FileSizeSignalHeldBack(const FileSizeSignalHeldBack&) = delete;
  FileSizeSignalHeldBack& operator=(const FileSizeSignalHeldBack&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// How much of the text was written; errno says why when it is not all.
std::size_t write_all(int fd, std::string_view text) {
  const FileSizeSignalHeldBack held_back;
  std::size_t written = 0;
  while (written < text.size()) {
    const auto result = ::write(fd, text.data() + written, text.size() - written);
    if (result > 0) {
      written += static_cast<std::size_t>(result);
    } else if (result == 0) {
      errno = EIO;
      break;
    } else if (errno != EINTR) {
      break;
    }
  }
  return written;
}

int open_retrying(const fs::path& path, int flags) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

void sync_or_throw(int fd, const fs::path& path) {
  // EINVAL: a special file, which has no disk to reach.
  while (::fsync(fd) != 0) {
    if (errno == EINVAL) return;
    if (errno != EINTR) throw write_error("write", path, errno);
  }
}

fs::path partial_name(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + ".part");
}

// True if the target exists and must not be replaced.
bool rename_is_refused(const fs::path& from, const fs::path& to, IfThere if_there) {
  if (if_there == IfThere::refuse) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
      return false;
    }
    if (errno == EEXIST) return true;
    if (errno != EINVAL && errno != ENOSYS) throw write_error("write", to, errno);
    // The file system has no such rename. Whoever writes a record holds its lock, so looking first
    // is enough.
    struct stat status {};
    if (::lstat(to.c_str(), &status) == 0) return true;
  }
  if (::rename(from.c_str(), to.c_str()) != 0) throw write_error("write", to, errno);
  return false;
}

}  // namespace

Error write_error(std::string_view what, const fs::path& path, int code) {
  return Error(ErrorKind::write,
               "cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(code) +
                   ". " + what_to_do(code),
               code);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

AppendFile AppendFile::create(const fs::path& path) {
  Descriptor file(open_retrying(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND));
  if (!file.is_open()) throw write_error("create", path, errno);
  return AppendFile(path, std::move(file), 0);
}

AppendFile AppendFile::reopen(const fs::path& path) {
  Descriptor file(open_retrying(path, O_WRONLY | O_APPEND));
  if (!file.is_open()) throw write_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) throw write_error("open", path, errno);
  return AppendFile(path, std::move(file), static_cast<std::uint64_t>(status.st_size));
}

void AppendFile::append(std::string_view text) {
  ASSAY_EXPECTS(file_.is_open());
  const std::size_t written = write_all(file_.fd(), text);
  if (written == text.size()) {
    size_bytes_ += written;
    return;
  }
  const int code = errno;
  const auto last_break = text.substr(0, written).rfind('\n');
  const std::size_t whole = last_break == std::string_view::npos ? 0 : last_break + 1;
  // If even this fails, the half line stays; readers and reopen() know how to pass over it.
  if (::ftruncate(file_.fd(), static_cast<off_t>(size_bytes_ + whole)) == 0) {
    size_bytes_ += whole;
  } else {
    size_bytes_ += written;
  }
  throw write_error("write", path_, code);
}

void AppendFile::cut_to(std::uint64_t size_bytes) {
  ASSAY_EXPECTS(file_.is_open() && size_bytes <= size_bytes_);
  while (::ftruncate(file_.fd(), static_cast<off_t>(size_bytes)) != 0) {
    if (errno != EINTR) throw write_error("cut the unfinished end of", path_, errno);
  }
  size_bytes_ = size_bytes;
}

void AppendFile::sync() {
  ASSAY_EXPECTS(file_.is_open());
  sync_or_throw(file_.fd(), path_);
}

void AppendFile::close() {
  ASSAY_EXPECTS(file_.is_open());
  if (::close(file_.release()) != 0 && errno != EINTR) throw write_error("write", path_, errno);
}

void write_file(const fs::path& path, std::string_view text, IfThere if_there) {
  const fs::path partial = partial_name(path);
  Descriptor file(open_retrying(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW));
  if (!file.is_open()) throw write_error("create", path, errno);
  try {
    if (write_all(file.fd(), text) != text.size()) throw write_error("write", path, errno);
    sync_or_throw(file.fd(), path);
    if (::close(file.release()) != 0 && errno != EINTR) throw write_error("write", path, errno);
    if (rename_is_refused(partial, path, if_there)) throw write_error("create", path, EEXIST);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

bool is_partial_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.size() > 6 && name.front() == '.' && name.ends_with(".part");
}

bool make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return true;
  if (errno == EEXIST) return false;
  throw write_error("create the directory", path, errno);
}

void make_directories(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) throw write_error("create the directory", path, failure.value());
}

void sync_directory(const fs::path& path) {
  const Descriptor directory(open_retrying(path.empty() ? "." : path, O_RDONLY | O_DIRECTORY));
  if (directory.is_open()) ::fsync(directory.fd());
}

void read_pieces(const fs::path& path, const std::function<void(std::string_view)>& take,
                 std::uint64_t most_bytes) {
  const Descriptor file(open_retrying(path, O_RDONLY));
  const auto fail = [&path](int code) {
    throw Error(ErrorKind::bad_input, "cannot read " + path.string() + ": " + std::strerror(code),
                code);
  };
  if (!file.is_open()) fail(errno);
  const std::size_t piece_bytes = std::min<std::uint64_t>(1 << 20, most_bytes);
  const auto buffer = std::make_unique<char[]>(piece_bytes);
  while (most_bytes > 0) {
    const auto result =
        ::read(file.fd(), buffer.get(), std::min<std::uint64_t>(piece_bytes, most_bytes));
    if (result == 0) return;
    if (result > 0) {
      take(std::string_view(buffer.get(), static_cast<std::size_t>(result)));
      most_bytes -= static_cast<std::uint64_t>(result);
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

std::string first_line(const fs::path& path, std::uint64_t most_bytes) {
  std::string text;
  read_pieces(
      path, [&text](std::string_view piece) { text += piece; }, most_bytes);
  return text.substr(0, text.find('\n'));
}

std::string read_file(const fs::path& path) {
  std::string text;
  read_pieces(path, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace assay::record
