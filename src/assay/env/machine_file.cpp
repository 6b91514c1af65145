// SPDX-License-Identifier: MIT
#include "assay/env/machine_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "assay/base/small_file.hpp"

namespace assay::env {
namespace {

namespace fs = std::filesystem;

// An entry has 2 to 20 KB: hundreds of machines at least.
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{16} << 20;
// More than an entry has.
constexpr std::size_t room_bytes = std::size_t{64} << 10;
// Clocks of machines that share a home directory differ, but not by days.
constexpr std::int64_t most_days_ahead = 1;

Error write_error(const fs::path& file, int code) {
  return {ErrorKind::write,
          "cannot write " + file.string() + ": " + std::strerror(code) +
              ". Make room there, or name another directory in ASSAY_STATE_DIR",
          code};
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Makes the folder too.
void make_directory(const fs::path& directory) {
  std::error_code trouble;
  fs::create_directories(directory, trouble);
  if (trouble) throw write_error(directory, trouble.value());
}

// A file beside the one that is meant: gone with the object, unless it took that one's place.
class Part {
 public:
  explicit Part(const fs::path& file)
      : file_(file),
        path_(file.parent_path() /
              ("." + file.filename().string() + "." + std::to_string(getpid()))),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw write_error(path_, errno);
  }
  ~Part() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // As far as the disk.
  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t more = ::write(fd_, text.data(), text.size());
      if (more >= 0) {
        text.remove_prefix(static_cast<std::size_t>(more));
      } else if (errno != EINTR) {
        throw write_error(file_, errno);
      }
    }
    if (::fsync(fd_) != 0 && errno != EINVAL) throw write_error(file_, errno);
    if (::close(std::exchange(fd_, -1)) != 0) throw write_error(file_, errno);
  }
  void take_place() {
    if (std::rename(path_.c_str(), file_.c_str()) != 0) throw write_error(file_, errno);
    path_.clear();
  }

 private:
  fs::path file_;
  fs::path path_;
  int fd_;
};

}  // namespace

Reading<fs::path> state_directory() {
  const std::string own = from_environment("ASSAY_STATE_DIR");
  if (!own.empty()) return fs::absolute(own);
  const fs::path state = from_environment("XDG_STATE_HOME");
  if (state.is_absolute()) return state / "assay";
  const fs::path home = from_environment("HOME");
  if (home.is_absolute()) return home / ".local" / "state" / "assay";
  return Missing{"no-state-directory",
                 "neither ASSAY_STATE_DIR nor XDG_STATE_HOME nor HOME says where this user's state "
                 "is kept"};
}

const fs::path& to_store_in(const Reading<fs::path>& state_directory) {
  if (state_directory) return *state_directory;
  throw Error(ErrorKind::usage, "there is no place to store what is measured: " +
                                    state_directory.missing().detail + "; set ASSAY_STATE_DIR");
}

Reading<std::int64_t> age_days(const MachineEntry& entry,
                               std::chrono::system_clock::time_point now) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  char rest = 0;
  const int taken = std::sscanf(entry.measured_utc.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d+00:00%c",
                                &year, &month, &day, &hour, &minute, &second, &rest);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  const bool is_of_a_day = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
                           second <= 60;  // a leap second
  if (taken != 6 || !date.ok() || !is_of_a_day) {
    return Missing{"not-understood", "'" + entry.measured_utc + "' is no time"};
  }
  const auto then = std::chrono::sys_days(date) + std::chrono::hours(hour) +
                    std::chrono::minutes(minute) + std::chrono::seconds(second);
  // In whole seconds: the clock's nanoseconds know no years after 2262.
  const auto age = std::chrono::floor<std::chrono::seconds>(now) - then;
  return std::int64_t{std::chrono::floor<std::chrono::days>(age).count()};
}

namespace detail {

FileLock::FileLock(const MachineFile& of, const fs::path& directory) {
  make_directory(directory);
  const fs::path file = directory / ("." + std::string(of.name) + ".lock");
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  // Another user's, as after a sudo: it can be locked, if not written.
  if (fd_ < 0 && errno == EACCES) fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw write_error(file, errno);
  while (::flock(fd_, LOCK_EX) != 0) {
    // Some file systems have no locks. Then the file is still whole, whoever writes it last.
    if (errno != EINTR) break;
  }
}

FileLock::~FileLock() { ::close(fd_); }

// What may go wrong with a file that people and other versions touch; all of it is cured alike.
void refuse(const MachineFile& of, const fs::path& directory, const std::string& why) {
  throw Error(ErrorKind::bad_input, std::string(of.what) + " of this machine cannot be read from " +
                                        (directory / of.name).string() + ": " + why +
                                        ". Delete the file, and measure again with `" + of.command +
                                        "`");
}

Reading<std::string> text_of(const MachineFile& of, const fs::path& directory) {
  auto text = read_small_file(directory / of.name, most_file_bytes);
  if (!text && text.missing().reason != "no-such-file") {
    refuse(of, directory, text.missing().detail);
  }
  return text;
}

void expect_format(ObjectReader& reader, std::string_view format) {
  const auto found = reader.take<std::string>("format");
  if (found == format) return;
  throw Error(ErrorKind::bad_input, "format '" + found +
                                        "' is not known to this version; expected '" +
                                        std::string(format) + "'");
}

void expect_time(const MachineEntry& entry, const std::string& where) {
  const auto age = age_days(entry, std::chrono::system_clock::now());
  if (!age) {
    throw Error(ErrorKind::bad_input, where + ".measured_utc: '" + entry.measured_utc +
                                          "' is no time; expected 2026-11-29T21:44:05+00:00");
  }
  if (*age < -most_days_ahead) {
    throw Error(ErrorKind::bad_input,
                where + ".measured_utc: '" + entry.measured_utc +
                    "' is still to come; expected a time in the past (or is this machine's clock "
                    "behind?)");
  }
}

Missing nothing_of(const MachineFile& of, const fs::path& directory, const std::string& others) {
  const std::string command = "`" + std::string(of.command) + "`";
  if (others.empty()) {
    return {"not-measured", "not measured on this machine; " + command + " does it"};
  }
  return {"other-machine", "not measured on this machine as it is now; " +
                               (directory / of.name).string() + " holds that of " + others +
                               ", another machine, processor or kernel. " + command +
                               " measures it"};
}

void write(const MachineFile& of, const fs::path& directory, const Json& machines) {
  Part part(directory / of.name);
  part.write(json_text({{"format", of.format}, {"machines", machines}}));
  part.take_place();
}

}  // namespace detail

void expect_writable(const MachineFile& of, const fs::path& directory) {
  const detail::FileLock alone(of, directory);
  Part(directory / of.name).write(std::string(room_bytes, '\n'));
}

}  // namespace assay::env
