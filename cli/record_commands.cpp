// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>

#include "assay/base/error.hpp"
#include "assay/judge/judge.hpp"
#include "assay/record/companion.hpp"
#include "assay/record/package.hpp"
#include "assay/record/reader.hpp"
#include "assay/report/html.hpp"
#include "assay/report/page_check.hpp"
#include "assay/report/terminal.hpp"
#include "cli/companion_commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

// The result as the record holds it; of an unsealed record, what its files say so far.
judge::Result result_of(const record::Record& record) {
  if (record.result) {
    return judge::result_from_json(*record.result, (record.path / "data/result.json").string());
  }
  return judge::judge(record.evidence, judge::Ending::interrupted);
}

}  // namespace

int show_command(const RecordOptions& options) {
  check_json_target(options.json);
  if (record::is_companion(options.records.front())) {
    show_companion(options.records.front(), options.json, options.details);
    return 0;
  }
  const record::Record record = record::open(options.records.front());
  const judge::Result result = result_of(record);
  if (options.json.is_wanted()) {
    print_json(options.json, {{"record", record.path.string()}, {"result", to_json(result)}});
  }
  if (!options.json.is_stdout()) {
    print(report::result_table(result, record.evidence.plan, stdout_style()));
    if (options.details) {
      print("\n" + report::details_text(result, stdout_style()));
    }
    if (!record.is_sealed) {
      print("\nThis record is not sealed. Go on with: assay run --resume " + record.path.string() +
            "\n");
    }
  }
  return result.exit_status;
}

int report_command(const RecordOptions& options) {
  const record::Record record = record::open(options.records.front());
  std::filesystem::path page = options.output;
  if (page.empty())
    page = std::filesystem::absolute(record.path).lexically_normal().filename().string() + ".html";
  if (page.filename() == ".html") page = "record.html";
  refuse_inside_record(page);
  std::ofstream stream(page, std::ios::binary | std::ios::trunc);
  stream << report::html_page(record, result_of(record));
  stream.close();
  if (!stream) throw Error(ErrorKind::write, "cannot write " + page.string());
  print("Wrote " + page.string() + "\n");
  return 0;
}

int verify_command(const RecordOptions& options) {
  check_json_target(options.json);
  const std::filesystem::path path = options.records.front();
  if (record::is_companion(path)) return verify_companion(path, options.json);
  const auto changed = record::integrity_differences(path);
  std::vector<std::string> recomputed;
  std::string unreadable;
  std::vector<std::string> notes;
  try {
    const record::Record record = record::open(path);
    recomputed = judge::recomputation_differences(record);
    const auto inconsistent = judge::consistency_differences(record);
    recomputed.insert(recomputed.end(), inconsistent.begin(), inconsistent.end());
    const auto add = [&](const auto& check) {
      if (!check.difference.empty()) recomputed.push_back(check.difference);
      if (!check.note.empty()) notes.push_back(check.note);
    };
    if (record.result) add(report::check_page(record, result_of(record), ASSAY_VERSION));
    add(record::check_package(path, record.evidence.plan.assay_version, ASSAY_VERSION));
  } catch (const Error& error) {
    // What was changed so far that it cannot be read is still worth its list of changes.
    unreadable = error.what();
  }
  Json json{{"record", path.string()}, {"changed", changed}, {"recomputed", recomputed}};
  if (!unreadable.empty()) json["unreadable"] = unreadable;
  if (!notes.empty()) json["notes"] = notes;
  const bool is_good = changed.empty() && recomputed.empty() && unreadable.empty();
  json["verified"] = is_good;
  if (options.json.is_wanted()) print_json(options.json, json);
  if (!options.json.is_stdout()) {
    for (const auto& difference : changed) print("changed: " + difference + "\n");
    for (const auto& difference : recomputed) print("does not agree: " + difference + "\n");
    if (!unreadable.empty()) print("unreadable: " + unreadable + "\n");
    for (const auto& note : notes) print("note: " + note + "\n");
    if (is_good) {
      print(
          "verified: every file is as it was sealed, and every number follows from the raw "
          "files\n");
    }
  }
  return is_good ? 0 : 4;
}

}  // namespace assay::cli
