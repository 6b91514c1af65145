// SPDX-License-Identifier: MIT
#include "assay/record/companion_writer.hpp"

#include <algorithm>
#include <cstdio>

#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"
#include "assay/record/new_directory.hpp"

namespace assay::record {

namespace fs = std::filesystem;

std::string raw_folder_name(std::int64_t run) {
  char text[32];
  std::snprintf(text, sizeof text, "raw/%04lld", static_cast<long long>(run));
  return text;
}

CompanionWriter::CompanionWriter(const fs::path& parent, const std::string& timed_name,
                                 const std::string& kind, const std::string& utc_compact)
    : path_(new_directory(
          parent, safe_name(timed_name) + "-" + safe_name(kind) + "-" + safe_name(utc_compact))) {
  make_directories(path_ / "data");
}

fs::path CompanionWriter::raw_folder(std::int64_t run) const {
  fs::path folder = path_ / "data" / raw_folder_name(run);
  make_directories(folder);
  return folder;
}

std::vector<std::string> CompanionWriter::raw_files(std::int64_t run) const {
  const fs::path data = path_ / "data";
  std::vector<std::string> files;
  // A tool may have removed its folder: then it left nothing.
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator(data / raw_folder_name(run), gone)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path().lexically_relative(data).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void CompanionWriter::seal(const Companion& companion, const std::vector<Counter>& counters,
                           const Json& environment) {
  const fs::path data = path_ / "data";
  std::string table = std::string(counters_header) + "\n";
  for (const Counter& counter : counters) append_csv(table, counter);
  write_file(data / "environment.json", json_text(environment), IfThere::refuse);
  write_file(data / counters_name, table, IfThere::refuse);
  write_file(data / companion_name, json_text(to_json(companion)), IfThere::refuse);
  try {
    write_bag(path_, {{"Bag-Software-Agent", "Assay"},
                      {"Bagging-Date", companion.created_utc.substr(0, 10)},
                      {companion_of_label, companion_of(companion)},
                      {"External-Identifier", record_name(path_)}});
  } catch (const fs::filesystem_error& error) {
    throw write_error("seal", path_, error.code().value());
  }
}

}  // namespace assay::record
