// SPDX-License-Identifier: MIT
//
// Writer: the directory of a record while it is being measured, and its sealing as a BagIt 1.0 bag.
//
// Append-only: plan.json first, sealed by its hash and time; then rows as they are measured; then
// the result; then the manifests. A record without manifests is unsealed or was interrupted;
// nothing is ever overwritten or removed, so whatever was measured before a failure stays readable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/record/checks.hpp"
#include "assay/record/kernels.hpp"
#include "assay/record/startup_table.hpp"
#include "assay/record/tables.hpp"
#include "assay/record/telemetry_table.hpp"

namespace assay::record {

class Writer {
 public:
  // Makes parent/NAME-UTC-HASH (HASH: the first 8 digits of the plan's; -2, -3 … is added if the
  // name is taken), then writes and seals the plan: data/plan.json, data/plan.sha256 (seals.hpp),
  // data/experiment.toml and data/environment.json if there is one. The plan comes last: what has
  // one has all of them, so that a run that is killed at any moment leaves a record to go on with,
  // or none. All of it is on the disk when the call returns. Throws Error{write} naming the path
  // and what to do when a directory or file cannot be written; then nothing is left behind.
  static Writer create(const std::filesystem::path& parent, const std::string& name,
                       const std::string& utc_compact, const std::string& plan_text,
                       const std::string& sealed_utc, const std::string& experiment_text,
                       const std::string& environment_text = "");

  // An interrupted record to go on with. Cuts a half-written last line of a table, brings the
  // tables to a state that agrees (mend.hpp), and tells in data/logs/resumed.log what it did.
  // Throws Error{bad_input} if it is sealed, no record, being written by another process, or its
  // plan was changed.
  static Writer reopen(const std::filesystem::path& record);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  const std::filesystem::path& path() const noexcept;  // the record
  std::filesystem::path data() const;                  // record/data
  // record/data/logs/NAME; makes the folder, not the file.
  std::filesystem::path log_file(const std::string& name) const;

  // Rows are with the kernel (write(2), not only in a buffer) when the call returns: a crash of
  // this process loses nothing. Throw Error{write}; rows that were written stay, whole.
  void append_samples(const SampleTable& table, std::size_t first_row);
  // After all other tables are on the disk: what trials.csv tells of is there, also after a loss of
  // power. That takes a while, so nothing may be measured meanwhile.
  void append_trial(const Trial& trial);
  // Into command-runs.csv, which only a record of commands has.
  void append_command_runs(const std::vector<CommandRun>& runs);
  // Into kernels.csv, which only a record of a device that tells has.
  void append_kernels(const std::vector<KernelRuns>& kernels);
  // Into telemetry.csv, which only a record of a device that tells has.
  void append_telemetry(const std::vector<TelemetryRow>& rows, std::size_t first_row);
  // Into startup.csv, which only a record with the boundary cold-start has.
  void append_startup(const std::vector<StartupRow>& rows, std::size_t first_row);

  // data/checks.json, anew each time: the file is replaced as a whole, so that it is valid JSON at
  // any moment.
  void write_checks(const Json& checks);
  void write_checks(const Checks& checks);

  // data/calibration.json, sealed as the plan is: by hash and time in data/plan.sha256.
  void seal_calibration(const Json& calibration, const std::string& sealed_utc);

  // A file of data/: written through a temporary and rename, never over an existing one unless
  // `replace`. `name` may hold folders, which are made.
  void write_json(const std::string& name, const Json& json, bool replace = false);
  void write_text(const std::string& name, const std::string& text, bool replace = false);

  // Copies a folder or file into data/NAME, which must not exist: archive.hpp says what is left
  // out; returns that.
  std::vector<std::string> archive(const std::filesystem::path& source, const std::string& name,
                                   std::uint64_t limit_bytes);

  // Writes data/datapackage.json, the tag files and manifests. Afterwards the object takes nothing
  // more. bag_info adds to or replaces Bagging-Date, Bag-Software-Agent and External-Identifier
  // (the directory's name). A record that could not be sealed (Error{write}) stays unsealed.
  void seal(const std::map<std::string, std::string>& bag_info);

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::filesystem::path file_of(const std::string& name) const;
  void sync_tables();
  void note(const std::vector<std::string>& lines);
  std::unique_ptr<State> state_;
};

}  // namespace assay::record
