// SPDX-License-Identifier: MIT
#include "cli/companion_commands.hpp"

#include "assay/base/error.hpp"
#include "assay/judge/judge.hpp"
#include "assay/profile/profile.hpp"
#include "assay/record/companion.hpp"
#include "assay/record/reader.hpp"
#include "assay/report/companion_text.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

// Missing where it is not at hand, was changed or cannot be read: the counters stand without it.
Reading<judge::Result> timed_result_of(const record::CompanionRecord& companion) {
  const auto beside = record::timed_record_beside(companion);
  if (!beside) return beside.missing();
  try {
    const record::Record record = record::open(*beside);
    const auto differences = profile::timed_record_differences(companion, record);
    if (!differences.empty()) return Missing{"disagrees", differences.front()};
    if (!record.result) return Missing{"no-result", "the timed record has no result"};
    return judge::result_from_json(*record.result, (*beside / "data/result.json").string());
  } catch (const Error& error) {
    return Missing{"unreadable", error.what()};
  }
}

// What of the companion does not agree with the timed record beside it, and a note where there is
// none.
void compare_with_timed(const record::CompanionRecord& companion,
                        std::vector<std::string>& differences, std::string& note) {
  const auto beside = record::timed_record_beside(companion);
  if (!beside && beside.missing().reason == "not-beside") {
    note = beside.missing().detail + ": whether it is still the same was not checked";
    return;
  }
  if (!beside) {
    differences.push_back(beside.missing().detail);
    return;
  }
  for (auto& difference : profile::timed_record_differences(companion, record::open(*beside))) {
    differences.push_back(std::move(difference));
  }
}

}  // namespace

void show_companion(const std::filesystem::path& path, const JsonTarget& json, bool details) {
  const record::CompanionRecord companion = record::open_companion(path);
  if (json.is_wanted()) print_json(json, report::companion_json(companion));
  if (json.is_stdout()) return;
  const auto timed = timed_result_of(companion);
  print(report::companion_table(companion, timed ? &*timed : nullptr, details, stdout_style()));
  if (!timed && timed.missing().reason != "not-beside") {
    print("\nIts times are left out: " + timed.missing().detail + "\n");
  }
  if (!companion.is_sealed) {
    print(std::string("\nThis companion is not sealed. ") + record::unsealed_companion_advice +
          "\n");
  }
}

int verify_companion(const std::filesystem::path& path, const JsonTarget& json) {
  const auto changed = record::companion_integrity_differences(path);
  std::vector<std::string> recomputed;
  std::string unreadable;
  std::string note;
  try {
    const record::CompanionRecord companion = record::open_companion(path);
    recomputed = record::companion_disagreements(companion);
    for (auto& difference : profile::recomputation_differences(companion)) {
      recomputed.push_back(std::move(difference));
    }
    compare_with_timed(companion, recomputed, note);
  } catch (const Error& error) {
    unreadable = error.what();
  }
  const bool is_good = changed.empty() && recomputed.empty() && unreadable.empty();
  Json result{{"record", path.string()}, {"changed", changed}, {"recomputed", recomputed}};
  if (!unreadable.empty()) result["unreadable"] = unreadable;
  if (!note.empty()) result["notes"] = Json::array({note});
  result["verified"] = is_good;
  if (json.is_wanted()) print_json(json, result);
  if (!json.is_stdout()) {
    for (const auto& difference : changed) print("changed: " + difference + "\n");
    for (const auto& difference : recomputed) print("does not agree: " + difference + "\n");
    if (!unreadable.empty()) print("unreadable: " + unreadable + "\n");
    if (!note.empty()) print("note: " + note + "\n");
    if (is_good) {
      print(std::string("verified: every file is as it was sealed") +
            (note.empty() ? ", those of the timed record too" : "") +
            ", and every counter is what the tool's own files say\n");
    }
  }
  return is_good ? 0 : 4;
}

}  // namespace assay::cli
