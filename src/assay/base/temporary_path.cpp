// SPDX-License-Identifier: MIT
#include "assay/base/temporary_path.hpp"

#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "assay/base/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

// What a handler can read at any moment: it must neither allocate nor wait. More paths than a
// command has at once; whoever finds no place is removed with its object alone.
struct Place {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_written{false};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<bool>::is_always_lock_free);
std::array<Place, 8> places;

std::optional<std::size_t> take_place(const std::string& path) {
  if (path.size() >= PATH_MAX) return std::nullopt;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].is_taken.exchange(true)) continue;
    std::memcpy(places[i].path.data(), path.c_str(), path.size() + 1);
    places[i].is_written = true;
    return i;
  }
  return std::nullopt;
}

// A handler may not walk a folder: another program does.
void remove_folder(const char* path) noexcept {
  const char* const arguments[] = {"rm", "-rf", "--", path, nullptr};
  const char* const no_environment[] = {nullptr};
  const pid_t child = ::_Fork();  // fork() takes the locks of malloc, which may be held
  if (child == 0) {
    ::execve("/bin/rm", const_cast<char* const*>(arguments),
             const_cast<char* const*>(no_environment));
    ::_exit(127);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

TemporaryPath::TemporaryPath(Kind kind) {
  std::error_code failure;
  const fs::path folder = fs::temp_directory_path(failure);
  if (failure) {
    throw Error(ErrorKind::write,
                "there is no folder for temporary files (TMPDIR): " + failure.message(),
                failure.value());
  }
  // A process that works in another folder finds it too.
  std::string name = fs::absolute(folder / "assay-XXXXXX").string();
  const int fd = kind == Kind::file ? ::mkstemp(name.data()) : -1;
  if (kind == Kind::file ? fd < 0 : ::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::write,
                "cannot make a temporary file or folder like " + name + ": " + std::strerror(errno),
                errno);
  }
  if (fd >= 0) ::close(fd);
  path_ = name;
  place_ = take_place(name);
}

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (!place_) return;
  places[*place_].is_written = false;
  places[*place_].is_taken = false;
}

void remove_temporary_paths() noexcept {
  const int code = errno;
  for (Place& place : places) {
    if (!place.is_written) continue;
    if (::unlink(place.path.data()) != 0) remove_folder(place.path.data());
  }
  errno = code;
}

}  // namespace assay
