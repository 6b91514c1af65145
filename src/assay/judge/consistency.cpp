// SPDX-License-Identifier: MIT
//
// What must agree between the files of a record although no number is computed from it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "assay/base/counted.hpp"
#include "assay/base/digest.hpp"
#include "assay/judge/command_runs.hpp"
#include "assay/judge/judge.hpp"

namespace assay::judge {
namespace {

void check_processes(const record::Evidence& evidence, std::vector<std::string>& differences) {
  std::set<std::pair<std::int64_t, std::int64_t>> told;
  std::map<std::int64_t, std::int64_t> last_told;  // by trial
  for (const record::Trial& row : evidence.trials) {
    told.emplace(row.trial, row.process);
    auto& last = last_told[row.trial];
    last = std::max(last, row.process);
  }
  std::set<std::pair<std::int64_t, std::int64_t>> missing;
  std::optional<std::pair<std::int64_t, std::int64_t>> before;
  for (const record::Sample& row : evidence.samples.rows) {
    const std::pair<std::int64_t, std::int64_t> process(row.trial, row.process);
    if (process == before) continue;
    before = process;
    // A parent that dies writes no row; whoever resumes begins the trial again in a later process.
    const auto last = last_told.find(row.trial);
    const bool was_resumed = last != last_told.end() && last->second > process.second;
    if (!told.contains(process) && !was_resumed) missing.insert(process);
  }
  for (const auto& [trial, process] : missing) {
    differences.push_back(fmt::format(
        "trials.csv: samples.csv has samples of process {} in trial {}, which has no row here",
        process, trial));
  }
}

bool same_cell(const record::Sample& a, const record::Sample& b) {
  return a.problem == b.problem && a.case_id == b.case_id && a.state == b.state &&
         a.boundary == b.boundary;
}

void check_iterations(const record::Evidence& evidence, std::vector<std::string>& differences) {
  std::map<std::string, std::int64_t> wanted;
  for (const auto& cell : evidence.calibration.cells) {
    if (cell.iterations) wanted[cell.cell] = *cell.iterations;
  }
  std::set<std::string> said;
  const record::Dictionary& names = evidence.samples.names;
  const record::Sample* before = nullptr;  // the row that was looked at last
  for (const record::Sample& row : evidence.samples.rows) {
    if (row.phase != record::Phase::measure) continue;
    if (before != nullptr && before->iterations == row.iterations && same_cell(*before, row)) {
      continue;
    }
    before = &row;
    const std::string cell = names.name(row.problem) + "/" + names.name(row.case_id) + "/" +
                             names.name(row.state) + "/" + names.name(row.boundary);
    const auto found = wanted.find(cell);
    if (found == wanted.end() || found->second == row.iterations || !said.insert(cell).second) {
      continue;
    }
    differences.push_back(fmt::format("samples.csv: {} has samples of {}; calibration.json says {}",
                                      cell, counted(row.iterations, "iteration"), found->second));
  }
}

// UTC texts of one form order as the times do.
void check_times(const record::Record& record, std::vector<std::string>& differences) {
  for (const record::Trial& row : record.evidence.trials) {
    if (!record.sealed_utc.empty() && row.started_utc < record.sealed_utc) {
      differences.push_back(
          fmt::format("plan.sha256: the plan was sealed at {}, after trial {} had begun at {}",
                      record.sealed_utc, row.trial, row.started_utc));
      return;
    }
  }
}

void check_files(const record::Record& record, std::vector<std::string>& differences) {
  const auto data = record.path / "data";
  for (const char* name : {"environment.json", "checks.json", "report.html"}) {
    if (record.is_sealed && !std::filesystem::exists(data / name)) {
      differences.push_back(fmt::format("{}: missing from a sealed record", name));
    }
  }
  const std::string& digest = record.evidence.plan.experiment_digest;
  if (digest.empty()) return;
  const auto file = data / "experiment.toml";
  if (!std::filesystem::exists(file)) {
    differences.push_back("experiment.toml: missing, though the plan was made from it");
  } else if (sha256_hex_of_file(file) != digest) {
    differences.push_back("experiment.toml: not the file that the plan was made from");
  }
}

}  // namespace

std::vector<std::string> consistency_differences(const record::Record& record) {
  std::vector<std::string> differences;
  check_files(record, differences);
  check_times(record, differences);
  check_processes(record.evidence, differences);
  check_iterations(record.evidence, differences);
  detail::check_command_runs(record, differences);
  return differences;
}

}  // namespace assay::judge
