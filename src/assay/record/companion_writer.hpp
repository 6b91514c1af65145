// SPDX-License-Identifier: MIT
//
// CompanionWriter: the directory of a companion record while it is being made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/record/companion.hpp"

namespace assay::record {

// "raw/0007", of data/: where the files of the seventh run are.
std::string raw_folder_name(std::int64_t run);

class CompanionWriter {
 public:
  // Makes parent/NAME-KIND-UTC (-2, -3 … is added if the name is taken). Throws Error{write}.
  CompanionWriter(const std::filesystem::path& parent, const std::string& timed_name,
                  const std::string& kind, const std::string& utc_compact);

  const std::filesystem::path& path() const noexcept { return path_; }
  // Copies the regular files below `folder` into data/raw/0007, for what the seventh run left, and
  // gives their names, relative to data/, sorted. Links and names that are not UTF-8 stay behind:
  // no bag holds them. Throws Error{write}, Error{bad_input} for a file that cannot be read.
  std::vector<std::string> take_raw(std::int64_t run, const std::filesystem::path& folder) const;

  // Writes companion.json, counters.csv and environment.json, in place of what was saved before: a
  // process that is killed leaves what was counted, in a companion that is not sealed. Throws
  // Error{write}.
  void save(const Companion& companion, const std::vector<Counter>& counters,
            const Json& environment) const;
  // Saves, then writes the tag files. Throws Error{write}.
  void seal(const Companion& companion, const std::vector<Counter>& counters,
            const Json& environment);

 private:
  std::filesystem::path path_;
};

}  // namespace assay::record
