// SPDX-License-Identifier: MIT
#include "assay/record/companion.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "assay/base/digest.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::bad_input, "cannot open the companion " + path.string() + ": " + why);
}

std::string where_of(const Counter& counter, std::size_t row) {
  // The header is line 1.
  return std::string(counters_name) + ":" + std::to_string(row + 2) + " (" + counter.metric + ")";
}

bool is_of(const Counter& counter, const CounterRun& run) {
  return counter.problem == run.problem && counter.case_id == run.case_id &&
         counter.state == run.state && counter.build == run.build &&
         counter.subject == run.subject && counter.calls == run.calls;
}

}  // namespace

std::string record_digest(const fs::path& record) {
  if (!is_bag(record) || !fs::exists(record / tag_manifest_name)) {
    throw Error(ErrorKind::bad_input, "the record " + record.string() +
                                          " is not sealed, so that nothing could name what is in "
                                          "it. Go on with: assay run --resume " +
                                          record.string());
  }
  return sha256_hex_of_file(record / tag_manifest_name);
}

bool is_companion(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path / "data" / companion_name, failure);
}

CompanionRecord open_companion(const fs::path& path) {
  if (!is_companion(path)) refuse(path, std::string("it has no data/") + companion_name);
  try {
    const fs::path data = path / "data";
    const std::string where = (data / companion_name).string();
    CompanionRecord record;
    record.path = path;
    record.is_sealed = is_bag(path);
    record.companion = companion_from_json(parse_json(read_file(where), where), where);
    record.counters = read_counters(data / counters_name);
    return record;
  } catch (const fs::filesystem_error& error) {
    refuse(path, error.what());
  }
}

std::vector<std::string> companion_integrity_differences(const fs::path& path) {
  if (!is_bag(path)) {
    return {
        "the companion was never sealed: it has no manifests, so nothing says whether its files "
        "were changed"};
  }
  try {
    return bag_differences(path);
  } catch (const fs::filesystem_error& error) {
    refuse(path, error.what());
  }
}

Reading<fs::path> timed_record_beside(const CompanionRecord& companion) {
  const TimedRecord& of = companion.companion.of;
  // A name is one folder's: what a file says must not lead elsewhere.
  const fs::path name(of.name);
  const bool is_plain =
      !of.name.empty() && name.filename() == name && of.name != "." && of.name != "..";
  const fs::path beside = fs::absolute(companion.path).lexically_normal().parent_path() / name;
  std::error_code failure;
  if (!is_plain || !fs::exists(beside / tag_manifest_name, failure)) {
    return Missing{"not-beside", "the timed record " + of.name + " does not lie beside it"};
  }
  if (record_digest(beside) != of.digest) {
    return Missing{"other-digest",
                   "what lies beside it as " + of.name + " is not the record that it is about"};
  }
  return beside;
}

std::vector<std::string> companion_disagreements(const CompanionRecord& record) {
  std::vector<std::string> differences;
  std::map<std::int64_t, const CounterRun*> runs;
  for (const CounterRun& run : record.companion.runs) {
    if (!runs.emplace(run.number, &run).second) {
      differences.push_back(std::string(companion_name) + " has the run " +
                            std::to_string(run.number) + " twice");
    }
    for (const std::string& file : run.raw) {
      const bool is_below = file.starts_with("raw/") && file.find("..") == std::string::npos;
      if (!is_below || !fs::is_regular_file(record.path / "data" / file)) {
        differences.push_back("the file " + file + " of run " + std::to_string(run.number) +
                              " is not there");
      }
    }
  }
  std::map<std::string, std::string> units;
  for (const Metric& metric : record.companion.metrics) units.emplace(metric.name, metric.unit);
  std::set<std::int64_t> seen;
  std::size_t row = 0;
  for (const Counter& counter : record.counters) {
    const std::string where = where_of(counter, row++);
    seen.insert(counter.run);
    const auto run = runs.find(counter.run);
    if (run == runs.end()) {
      differences.push_back(where + ": there is no run " + std::to_string(counter.run));
      continue;
    }
    if (!is_of(counter, *run->second)) {
      differences.push_back(where +
                            ": is of another subject, case, state or number of calls than "
                            "its run " +
                            std::to_string(counter.run));
    }
    const auto unit = units.find(counter.metric);
    if (unit == units.end() || unit->second != counter.unit) {
      differences.push_back(where + ": " + companion_name + " lists no such metric in '" +
                            counter.unit + "'");
    }
    const bool is_told =
        counter.value || std::any_of(run->second->missing.begin(), run->second->missing.end(),
                                     [&](const Missing& missing) {
                                       return missing.reason == counter.value.missing().reason;
                                     });
    if (!is_told) differences.push_back(where + ": its run does not tell why it is missing");
  }
  for (const auto& [number, run] : runs) {
    if (!seen.contains(number)) {
      differences.push_back("run " + std::to_string(number) + " has no row in " + counters_name);
    }
  }
  return differences;
}

}  // namespace assay::record
