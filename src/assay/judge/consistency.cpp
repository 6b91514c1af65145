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
#include "assay/record/kernels.hpp"

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

// The interval of a sample that kernels.csv tells of, recomputed: the sum over its calls of the
// span from the first begin to the last end, where all calls did the same; else the span of all.
// Missing where the calls do not divide the runs. Unsigned, so that no number that a file can hold
// overflows into undefined behaviour.
Reading<double> interval_ns(std::vector<std::pair<std::uint64_t, std::uint64_t>> runs,
                            std::int64_t calls, bool is_uneven) {
  std::sort(runs.begin(), runs.end());
  const auto count = static_cast<std::int64_t>(runs.size());
  const std::int64_t groups = is_uneven ? 1 : calls;
  if (count % groups != 0) {
    return Missing{"uneven-work", fmt::format("has {} runs in {} calls", count, groups)};
  }
  const auto per_call = static_cast<std::size_t>(count / groups);
  std::uint64_t sum_ns = 0;
  for (std::size_t first = 0; first < runs.size(); first += per_call) {
    std::uint64_t end_ns = 0;
    for (std::size_t i = first; i < first + per_call; ++i) {
      end_ns = std::max(end_ns, runs[i].first + runs[i].second);
    }
    sum_ns += end_ns - runs[first].first;
  }
  return static_cast<double>(sum_ns);
}

// The timer whose intervals are made of the rows of kernels.csv.
constexpr std::string_view kernel_timer = "cupti";

void check_kernels(const record::Record& record, std::vector<std::string>& differences) {
  const auto file = record.path / "data" / "kernels.csv";
  if (!std::filesystem::exists(file)) return;
  const auto kernels = record::read_kernels(file, !record.is_sealed);
  const auto& samples = record.evidence.samples;
  const auto differs = [&](std::uint64_t sample, const std::string& what) {
    differences.push_back(fmt::format("kernels.csv: sample {} (line {} of samples.csv) {}", sample,
                                      sample + 2, what));
  };
  for (std::size_t first = 0; first < kernels.size();) {
    const std::uint64_t sample = kernels[first].sample;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    std::size_t next = first;
    for (; next < kernels.size() && kernels[next].sample == sample; ++next) {
      for (std::size_t i = 0; i < kernels[next].begins_ns.size(); ++i) {
        runs.emplace_back(static_cast<std::uint64_t>(kernels[next].begins_ns[i]),
                          static_cast<std::uint64_t>(kernels[next].durations_ns[i]));
      }
    }
    first = next;
    if (sample >= samples.rows.size()) {
      if (record.is_sealed) differs(sample, "does not exist");
      continue;
    }
    const record::Sample& row = samples.rows[sample];
    if (samples.names.name(row.timer) != kernel_timer) continue;
    const bool is_uneven =
        std::string_view(samples.names.name(row.flags)).find("uneven-work") != std::string::npos;
    const Reading<double> recomputed = interval_ns(std::move(runs), row.iterations, is_uneven);
    if (!recomputed) {
      differs(sample, recomputed.missing().detail + " and is not flagged uneven-work");
    } else if (*recomputed != row.interval_ns) {
      differs(sample, fmt::format("lasts {} ns by its kernels and {} ns in samples.csv",
                                  *recomputed, row.interval_ns));
    }
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
  check_kernels(record, differences);
  check_times(record, differences);
  check_processes(record.evidence, differences);
  check_iterations(record.evidence, differences);
  detail::check_command_runs(record, differences);
  return differences;
}

}  // namespace assay::judge
