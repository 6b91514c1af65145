// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "assay/record/bag.hpp"
#include "assay/record/companion.hpp"
#include "assay/record/companion_writer.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

std::string where_of(const Counter& counter, std::size_t row) {
  // The header is line 1.
  return std::string(counters_name) + ":" + std::to_string(row + 2) + " (" + counter.metric + ")";
}

bool is_of(const Counter& counter, const CounterRun& run) {
  return counter.problem == run.problem && counter.case_id == run.case_id &&
         counter.state == run.state && counter.build == run.build &&
         counter.subject == run.subject && counter.calls == run.calls;
}

// Each process once, and its files in its own folder.
void compare_runs(const CompanionRecord& record, std::vector<std::string>& differences) {
  using Place = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::set<Place> places;
  std::set<std::string> files;
  std::int64_t expected = 0;
  for (const CounterRun& run : record.companion.runs) {
    const std::string number = std::to_string(run.number);
    if (run.number != ++expected) {
      differences.push_back(std::string(companion_name) + ": runs[" + std::to_string(expected - 1) +
                            "] has the number " + number + "; runs are numbered from 1 on");
    }
    if (!places.emplace(run.problem, run.case_id, run.state, run.build, run.subject).second) {
      differences.push_back("run " + number + " is of the same subject, case and state as another");
    }
    files.insert(run.raw.begin(), run.raw.end());
    for (const std::string& file : run.raw) {
      const bool is_below = file.starts_with(raw_folder_name(run.number) + "/") &&
                            file.find("..") == std::string::npos;
      if (!is_below || !fs::is_regular_file(record.path / "data" / file)) {
        differences.push_back("the file " + file + " of run " + number + " is not there");
      }
    }
  }
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(record.path / "data/raw", none)) {
    const std::string name = entry.path().lexically_relative(record.path / "data").generic_string();
    if (!entry.is_directory() && !files.contains(name)) {
      differences.push_back("the file " + name + " is of no run");
    }
  }
}

void compare_rows(const CompanionRecord& record, std::vector<std::string>& differences) {
  std::map<std::int64_t, const CounterRun*> runs;
  for (const CounterRun& run : record.companion.runs) runs.emplace(run.number, &run);
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
}

// The bag and companion.json both name the timed record.
void compare_names(const CompanionRecord& record, std::vector<std::string>& differences) {
  if (!record.is_sealed) return;
  const auto named = bag_info(record.path, companion_of_label);
  if (named == companion_of(record.companion)) return;
  differences.push_back("bag-info.txt: " + std::string(companion_of_label) +
                        (named ? " is '" + *named + "'" : " is missing") + ", and " +
                        companion_name + " names the record " + companion_of(record.companion));
}

}  // namespace

std::vector<std::string> companion_disagreements(const CompanionRecord& record) {
  std::vector<std::string> differences;
  compare_names(record, differences);
  compare_runs(record, differences);
  compare_rows(record, differences);
  return differences;
}

}  // namespace assay::record
