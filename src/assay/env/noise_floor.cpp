// SPDX-License-Identifier: MIT
#include "assay/env/noise_floor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "assay/base/json_list.hpp"
#include "assay/base/small_file.hpp"

namespace assay::env {
namespace {

namespace fs = std::filesystem;

// An entry has about 2 KB: several thousand machines.
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{16} << 20;

// What may go wrong with a file that people and other versions touch; all of it is cured alike.
[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(ErrorKind::bad_input,
              "the noise floor of this machine cannot be read from " + file.string() + ": " + why +
                  ". Delete the file, and measure again with `assay doctor --noise`");
}

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

Json json_of_kernel(const KernelNoise& kernel) {
  return {{"cell", kernel.cell},
          {"call_ns", kernel.call_ns},
          {"mean_log_ratio", kernel.mean_log_ratio},
          {"sd_log_ratio", kernel.sd_log_ratio},
          {"trials", kernel.trials},
          {"floor_frac", kernel.floor},
          {"resolvable_frac", kernel.resolvable}};
}

// No machine is known to take a hundred times as long for the same code: such a number is a slip of
// a hand or of a disk, and as a margin it would make everything equivalent.
constexpr double most_fraction = 100;
constexpr double most_call_ns = 1e15;  // eleven days
// Clocks of machines that share a home directory differ, but not by days.
constexpr std::int64_t most_days_ahead = 1;

double number_from(ObjectReader& reader, const char* key, double least, double most) {
  const auto value = reader.take<double>(key);
  if (std::isfinite(value) && value >= least && value <= most) return value;
  throw Error(ErrorKind::bad_input, reader.where() + "." + key +
                                        ": expected a number of at least " + std::to_string(least) +
                                        " and at most " + std::to_string(most));
}

double fraction(ObjectReader& reader, const char* key) {
  return number_from(reader, key, 0, most_fraction);
}

std::int64_t trials_from(ObjectReader& reader) {
  const auto trials = reader.take<std::int64_t>("trials");
  if (trials < 1) {
    throw Error(ErrorKind::bad_input,
                reader.where() + ".trials: expected an integer of at least 1");
  }
  return trials;
}

void check_time(const NoiseFloor& entry, const std::string& where) {
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

KernelNoise kernel_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  KernelNoise kernel;
  kernel.cell = reader.take<std::string>("cell");
  kernel.call_ns = number_from(reader, "call_ns", 0, most_call_ns);
  kernel.mean_log_ratio = number_from(reader, "mean_log_ratio", -most_fraction, most_fraction);
  kernel.sd_log_ratio = number_from(reader, "sd_log_ratio", 0, most_fraction);
  kernel.trials = trials_from(reader);
  kernel.floor = fraction(reader, "floor_frac");
  kernel.resolvable = fraction(reader, "resolvable_frac");
  reader.finish();
  return kernel;
}

std::uint64_t seed_from(const std::string& text, const std::string& where) {
  std::uint64_t seed = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    throw Error(ErrorKind::bad_input, where + ".seed: expected decimal digits in a string");
  }
  return seed;
}

NoiseFloor entry_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  NoiseFloor entry;
  entry.machine_fingerprint = reader.take<std::string>("machine_fingerprint");
  entry.hostname = reader.take<std::string>("hostname");
  entry.device = reader.take<std::string>("device");
  entry.floor = fraction(reader, "floor_frac");
  entry.resolvable = fraction(reader, "resolvable_frac");
  entry.trials = trials_from(reader);
  entry.measured_utc = reader.take<std::string>("measured_utc");
  entry.assay_version = reader.take<std::string>("assay_version");
  entry.seed = seed_from(reader.take<std::string>("seed"), where);
  entry.record = reader.take<std::string>("record");
  entry.record_digest = reader.take<std::string>("record_digest");
  entry.kernels = take_list<KernelNoise>(reader, "kernels", kernel_from);
  reader.finish();
  check_time(entry, where);
  return entry;
}

std::vector<NoiseFloor> entries_from(const std::string& text) {
  const Json json = parse_json(text, noise_floor_name);
  ObjectReader reader(json, noise_floor_name);
  const auto format = reader.take<std::string>("format");
  if (format != noise_floor_format) {
    throw Error(ErrorKind::bad_input, "format '" + format +
                                          "' is not known to this version; expected '" +
                                          std::string(noise_floor_format) + "'");
  }
  auto entries = take_list<NoiseFloor>(reader, "machines", entry_from);
  reader.finish();
  return entries;
}

// Whole or not at all: written beside it, synced and renamed.
void write_whole(const fs::path& file, const std::string& text) {
  const fs::path part =
      file.parent_path() / ("." + file.filename().string() + "." + std::to_string(getpid()));
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) throw write_error(part, errno);
  int trouble = 0;
  for (std::size_t written = 0; written < text.size() && trouble == 0;) {
    const ssize_t more = ::write(fd, text.data() + written, text.size() - written);
    if (more >= 0) {
      written += static_cast<std::size_t>(more);
    } else if (errno != EINTR) {
      trouble = errno;
    }
  }
  if (trouble == 0 && ::fsync(fd) != 0 && errno != EINVAL) trouble = errno;
  if (::close(fd) != 0 && trouble == 0) trouble = errno;
  if (trouble == 0 && std::rename(part.c_str(), file.c_str()) != 0) trouble = errno;
  if (trouble == 0) return;
  ::unlink(part.c_str());
  throw write_error(file, trouble);
}

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

std::vector<NoiseFloor> read_noise_floors(const fs::path& directory) {
  const fs::path file = directory / noise_floor_name;
  const auto text = read_small_file(file, most_file_bytes);
  if (!text && text.missing().reason == "no-such-file") return {};
  if (!text) refuse(file, text.missing().detail);
  try {
    return entries_from(*text);
  } catch (const Error& error) {
    refuse(file, error.what());
  }
}

Reading<NoiseFloor> noise_floor_of(const fs::path& directory,
                                   const std::string& machine_fingerprint,
                                   const std::string& device) {
  std::string others;
  for (NoiseFloor& entry : read_noise_floors(directory)) {
    if (entry.device != device) continue;
    if (entry.machine_fingerprint == machine_fingerprint) return std::move(entry);
    others += (others.empty() ? "" : ", ") + entry.hostname + " (" + entry.measured_utc + ")";
  }
  if (others.empty()) {
    return Missing{"not-measured", "not measured on this machine; `assay doctor --noise` does it"};
  }
  return Missing{"other-machine",
                 "not measured on this machine as it is now; " +
                     (directory / noise_floor_name).string() + " holds that of " + others +
                     ", another machine, processor or kernel. `assay doctor --noise` measures it"};
}

fs::path write_noise_floor(const fs::path& directory, const NoiseFloor& entry) {
  std::vector<NoiseFloor> entries = read_noise_floors(directory);
  std::erase_if(entries, [&](const NoiseFloor& other) {
    return other.machine_fingerprint == entry.machine_fingerprint && other.device == entry.device;
  });
  entries.push_back(entry);
  const Json machines = list_of(entries, [](const NoiseFloor& each) { return to_json(each); });
  const fs::path file = directory / noise_floor_name;
  std::error_code trouble;
  fs::create_directories(directory, trouble);
  if (trouble) throw write_error(directory, trouble.value());
  write_whole(file, json_text({{"format", noise_floor_format}, {"machines", machines}}));
  return file;
}

Reading<std::int64_t> age_days(const NoiseFloor& entry, std::chrono::system_clock::time_point now) {
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

Json to_json(const NoiseFloor& entry) {
  return {{"machine_fingerprint", entry.machine_fingerprint},
          {"hostname", entry.hostname},
          {"device", entry.device},
          {"floor_frac", entry.floor},
          {"resolvable_frac", entry.resolvable},
          {"trials", entry.trials},
          {"measured_utc", entry.measured_utc},
          {"assay_version", entry.assay_version},
          {"seed", std::to_string(entry.seed)},
          {"record", entry.record},
          {"record_digest", entry.record_digest},
          {"kernels", list_of(entry.kernels, json_of_kernel)}};
}

}  // namespace assay::env
