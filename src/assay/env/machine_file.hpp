// SPDX-License-Identifier: MIT
//
// MachineFile: what was measured of a machine and later runs read: a JSON file in the user's state
// directory with one entry for each machine and device, so that machines that share a home
// directory do not take each other's. The noise floor is one such file, the ceilings another.
//
// It is state of a machine, not part of a record: a plan copies what it took, with where it came
// from, and from then on nothing depends on the file.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/json_list.hpp"
#include "assay/base/reading.hpp"

namespace assay::env {

struct MachineFile {
  const char* name;         // "noise-floor.json"
  std::string_view format;  // "assay-noise-floor/1"
  const char* what;         // "the noise floor": for messages
  const char* command;      // "assay doctor --noise": what measures it
};

// What every entry begins with: whose it is, and when and by what it was measured.
struct MachineEntry {
  std::string machine_fingerprint;
  std::string hostname;      // for people
  std::string device;        // "cpu": the id of the device that was measured
  std::string measured_utc;  // as utc_text() writes it
  std::string assay_version;

  friend bool operator==(const MachineEntry&, const MachineEntry&) = default;
};

// $ASSAY_STATE_DIR, else $XDG_STATE_HOME/assay, else ~/.local/state/assay. Missing
// ("no-state-directory") where none of the variables says. Relative paths in XDG_STATE_HOME are
// passed over, as its specification asks.
Reading<std::filesystem::path> state_directory();

// The same for what is going to be stored: throws Error{usage} where none of the variables says.
const std::filesystem::path& to_store_in(const Reading<std::filesystem::path>& state_directory);

// Days from measured_utc to now, rounded down; missing when the time cannot be read.
Reading<std::int64_t> age_days(const MachineEntry& entry,
                               std::chrono::system_clock::time_point now);

// Throws Error{write} where write_entry() could not write, with what to do: the folder is made, and
// as much as an entry may need is written beside the file and removed. To be asked before what
// takes minutes to measure is measured.
void expect_writable(const MachineFile& of, const std::filesystem::path& directory);

namespace detail {

// Whoever has it is alone in replacing the file: two doctors at once must not lose each other's
// entry. It locks a file beside the one that is meant, which is replaced, and makes the folder.
// Throws Error{write}.
class FileLock {
 public:
  FileLock(const MachineFile& of, const std::filesystem::path& directory);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_ = -1;
};

// The text of the file; missing if there is none. Throws as read_entries.
Reading<std::string> text_of(const MachineFile& of, const std::filesystem::path& directory);
[[noreturn]] void refuse(const MachineFile& of, const std::filesystem::path& directory,
                         const std::string& why);
void expect_format(ObjectReader& reader, std::string_view format);
void expect_time(const MachineEntry& entry, const std::string& where);
Missing nothing_of(const MachineFile& of, const std::filesystem::path& directory,
                   const std::string& others);
void write(const MachineFile& of, const std::filesystem::path& directory, const Json& machines);

}  // namespace detail

// All entries of the file in that directory; none if there is no such file. entry_from(json, where)
// makes one. Throws Error{bad_input} for a file that cannot be read or understood, with what to do.
template <typename Entry, typename From>
std::vector<Entry> read_entries(const MachineFile& of, const std::filesystem::path& directory,
                                From entry_from) {
  const Reading<std::string> text = detail::text_of(of, directory);
  if (!text) return {};
  try {
    const Json json = parse_json(*text, of.name);
    ObjectReader reader(json, of.name);
    detail::expect_format(reader, of.format);
    auto entries =
        take_list<Entry>(reader, "machines", [&](const Json& each, const std::string& where) {
          Entry entry = entry_from(each, where);
          detail::expect_time(entry, where);
          return entry;
        });
    reader.finish();
    return entries;
  } catch (const Error& error) {
    detail::refuse(of, directory, error.what());
  }
}

// The entry of that machine and device. Missing: "not-measured", or "other-machine" where there are
// only others.
template <typename Entry>
Reading<Entry> entry_of(const MachineFile& of, const std::filesystem::path& directory,
                        std::vector<Entry> entries, const std::string& machine_fingerprint,
                        const std::string& device) {
  std::string others;
  for (Entry& entry : entries) {
    if (entry.device != device) continue;
    if (entry.machine_fingerprint == machine_fingerprint) return std::move(entry);
    others += (others.empty() ? "" : ", ") + entry.hostname + " (" + entry.measured_utc + ")";
  }
  return detail::nothing_of(of, directory, others);
}

// Puts the entry in the place of that machine's and device's earlier one; the others stay. Unless
// stays(the earlier one): then nothing is written, and it is returned. Read and written under one
// lock, so that of two at once the second sees what the first wrote. The file appears whole or not
// at all; the directory is made. Throws as read_entries, and Error{write}.
template <typename Entry, typename From, typename Stays>
std::optional<Entry> write_entry(const MachineFile& of, const std::filesystem::path& directory,
                                 From entry_from, const Entry& entry, Stays stays) {
  const detail::FileLock alone(of, directory);
  auto entries = read_entries<Entry>(of, directory, entry_from);
  const auto earlier = std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.machine_fingerprint == entry.machine_fingerprint && other.device == entry.device;
  });
  if (earlier != entries.end()) {
    if (stays(*earlier)) return std::move(*earlier);
    entries.erase(earlier);
  }
  entries.push_back(entry);
  detail::write(of, directory, list_of(entries, [](const Entry& each) { return to_json(each); }));
  return std::nullopt;
}

}  // namespace assay::env
