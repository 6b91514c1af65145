// SPDX-License-Identifier: MIT
//
// A companion record: evidence about a sealed record in a directory of its own, as nothing enters a
// sealed one. It names the record by the digest of its tag manifest, which is the one number that
// follows from every byte of it; it is sealed in the same way, and checked by the same command.
//
// So far there is one kind: counters that a tool took in processes that were not timed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/record/counters.hpp"

namespace assay::record {

inline constexpr std::string_view companion_format = "assay-companion/1";
inline constexpr const char* companion_name = "companion.json";
inline constexpr const char* companion_of_label = "Companion-Of";  // in bag-info.txt

// The record that a companion is about.
struct TimedRecord {
  std::string name;         // record_name()
  std::string digest;       // record_digest()
  std::string plan_sha256;  // of its plan.json
};

// A program that ran under the tool.
struct ProfiledProgram {
  std::string build;
  std::int64_t layout = 0;
  std::string path;
  std::string sha256;
  std::string timed_sha256;  // of the one that was timed
  bool is_timed_one() const { return sha256 == timed_sha256; }
};

struct Tool {
  std::string name;     // "callgrind", as --tool has it
  std::string version;  // as it says itself
  std::string path;     // empty: no program of its own
};

struct Metric {
  std::string name;
  std::string unit;
  std::string meaning;
  // Counts of parts add up to the count of the whole, and those of calls to that of all.
  bool is_additive = true;
};

// How a process ended.
struct ProcessEnd {
  bool by_signal = false;
  std::int64_t code = 0;  // exit status, or the signal's number
};

// One process: a subject on a case, under the tool.
struct CounterRun {
  std::int64_t number = 0;  // from 1
  std::string problem;
  std::string case_id;
  std::string state;      // of the cell
  std::string own_state;  // of the subject, where it runs in one of its own instead; else empty
  std::string build;
  std::string subject;
  bool is_baseline = false;
  std::int64_t calls = 1;               // that are counted
  std::vector<std::string> command;     // its words, exactly
  std::vector<std::string> afterwards;  // of a second one, which reads what the tool wrote
  std::string started_utc;
  double wall_s = 0;  // of the process under the tool: never a time of the subject
  Reading<ProcessEnd> end = Missing{"not-run", ""};
  std::vector<std::string> raw;  // files of data/ that the tool and the program wrote
  std::vector<Missing> missing;  // each reason in counters.csv, with its sentence
};

struct Companion {
  std::string created_utc;
  std::string assay_version;
  std::string command_line;
  TimedRecord of;
  Tool tool;
  std::string device;
  std::vector<ProfiledProgram> programs;
  std::vector<Metric> metrics;
  std::vector<std::string> notes;  // what a reader of the numbers has to know
  std::vector<CounterRun> runs;
};

Json to_json(const Companion& companion);
// Throws Error{bad_input}.
Companion companion_from_json(const Json& json, const std::string& where);

// A companion with its counters, from its files.
struct CompanionRecord {
  std::filesystem::path path;
  bool is_sealed = false;
  Companion companion;
  std::vector<Counter> counters;
};

// As bag-info.txt names the timed record: "sha256:DIGEST".
inline std::string companion_of(const Companion& companion) {
  return "sha256:" + companion.of.digest;
}

// What identifies a sealed record, a companion among them: the SHA-256 of its
// tagmanifest-sha256.txt, as `sha256sum` prints it. Throws Error{bad_input} if it is not sealed.
std::string record_digest(const std::filesystem::path& record);

// Whether the directory holds a companion: by data/companion.json.
bool is_companion(const std::filesystem::path& path);

// Throws Error{bad_input}.
CompanionRecord open_companion(const std::filesystem::path& path);

// What to do with one that is not sealed, as sentences.
inline constexpr const char* unsealed_companion_advice =
    "`assay profile` was ended before it had counted everything; what it had counted by then is "
    "here, and it cannot be gone on with. Remove it, and run `assay profile` on the record again.";

// As integrity_differences in reader.hpp.
std::vector<std::string> companion_integrity_differences(const std::filesystem::path& path);

// The timed record, where it lies beside the companion under its name and every file of it is as it
// was sealed (which are all read for it); missing: "not-beside", "other-digest", "changed".
Reading<std::filesystem::path> timed_record_beside(const CompanionRecord& companion);

// A sentence for each disagreement of a companion with itself: of counters.csv with companion.json
// (a row of no run, or of another subject than its run's; a metric that is not listed; a run
// without rows), of two runs, of a run with its files, of companion.json with the bag.
std::vector<std::string> companion_disagreements(const CompanionRecord& companion);

}  // namespace assay::record
