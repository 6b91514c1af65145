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

std::vector<std::string> CompanionWriter::take_raw(std::int64_t run, const fs::path& folder) const {
  const fs::path data = path_ / "data";
  const fs::path own = raw_folder_name(run);
  std::vector<std::string> files;
  // Whoever wrote there may do so still, and a tool may have removed its folder: what is gone is
  // not there.
  std::error_code gone;
  fs::recursive_directory_iterator entries(folder, gone);
  for (; !gone && entries != fs::recursive_directory_iterator(); entries.increment(gone)) {
    const fs::path name = own / entries->path().lexically_relative(folder);
    std::error_code unknown;
    if (entries->symlink_status(unknown).type() != fs::file_type::regular) continue;
    if (!is_utf8(name.generic_string())) continue;
    make_directories((data / name).parent_path());
    AppendFile copy = AppendFile::create(data / name);
    // One that somebody goes on writing has no end.
    const std::uint64_t bytes = entries->file_size(unknown);
    if (!unknown) {
      read_pieces(
          entries->path(), [&copy](std::string_view piece) { copy.append(piece); }, bytes);
    }
    copy.sync();
    copy.close();
    files.push_back(name.generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void CompanionWriter::save(const Companion& companion, const std::vector<Counter>& counters,
                           const Json& environment) const {
  const fs::path data = path_ / "data";
  std::string table = std::string(counters_header) + "\n";
  for (const Counter& counter : counters) append_csv(table, counter);
  // companion.json, by which a companion is known, comes last.
  write_file(data / "environment.json", json_text(environment), IfThere::replace);
  write_file(data / counters_name, table, IfThere::replace);
  write_file(data / companion_name, json_text(to_json(companion)), IfThere::replace);
}

void CompanionWriter::seal(const Companion& companion, const std::vector<Counter>& counters,
                           const Json& environment) {
  save(companion, counters, environment);
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
