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
  // data/raw/0007, made: for what the seventh run writes. Whatever is in it is part of the record.
  std::filesystem::path raw_folder(std::int64_t run) const;
  // Files below data/raw of that run, relative to data/, sorted.
  std::vector<std::string> raw_files(std::int64_t run) const;

  // Writes companion.json, counters.csv and environment.json, then the tag files. Throws
  // Error{write}.
  void seal(const Companion& companion, const std::vector<Counter>& counters,
            const Json& environment);

 private:
  std::filesystem::path path_;
};

}  // namespace assay::record
