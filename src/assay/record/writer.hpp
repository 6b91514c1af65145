// SPDX-License-Identifier: MIT
//
// Writer: the directory of a record while it is being measured, and its sealing as a BagIt 1.0 bag.
//
// Append-only: plan.json first, sealed by its hash and time; then rows as they are measured; then
// the result; then the manifests. A record without manifests is unsealed or was interrupted;
// nothing is ever overwritten or removed, so whatever was measured before a failure stays readable.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "assay/base/json.hpp"
#include "assay/experiment/outcome.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {

class Writer {
 public:
  // Makes parent/NAME-UTC-HASH (HASH: the first 8 digits of the plan's) and its layout,
  // exclusively, then writes and seals the plan: data/plan.json, data/plan.sha256 ("HASH plan.json"
  // and a line "sealed UTC"), data/experiment.toml if there is one. Throws Error{write} naming the
  // path and what to do when a directory or file cannot be written.
  static Writer create(const std::filesystem::path& parent, const std::string& name,
                       const std::string& utc_compact, const std::string& plan_text,
                       const std::string& sealed_utc, const std::string& experiment_text);

  // An interrupted record to go on with. Cuts a half-written last line of a table. Throws
  // Error{bad_input} if it is sealed or no record.
  static Writer reopen(const std::filesystem::path& record);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  const std::filesystem::path& path() const noexcept;             // the record
  std::filesystem::path data() const;                             // record/data
  std::filesystem::path log_file(const std::string& name) const;  // record/data/logs/NAME

  // Rows are on disk (write(2), not only in a buffer) when the call returns. Throw Error{write};
  // rows that were written stay.
  void append_samples(const SampleTable& table, std::size_t first_row);
  void append_trial(const Trial& trial);
  // checks.json and failures are appended as JSON Lines while running (checks.jsonl in the unsealed
  // record would be one more file: here they are kept whole and rewritten through a temporary file
  // and rename).
  void write_checks(const Json& checks);
  // A file of data/: written through a temporary and rename, never over an existing one unless
  // `replace`.
  void write_json(const std::string& name, const Json& json, bool replace = false);
  void write_text(const std::string& name, const std::string& text, bool replace = false);
  // Copies a folder or file into data/NAME (the experiment's folder, build evidence); build/ and
  // records/ below it are left out, files above `limit_bytes` too; returns what was left out.
  std::vector<std::string> archive(const std::filesystem::path& source, const std::string& name,
                                   std::uint64_t limit_bytes);

  // Writes the tag files and manifests. Afterwards the object takes nothing more.
  void seal(const std::map<std::string, std::string>& bag_info);

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace assay::record
