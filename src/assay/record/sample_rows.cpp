// SPDX-License-Identifier: MIT
#include "assay/record/sample_rows.hpp"

#include "assay/base/startup.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

template <typename Rows, typename Read>
void read_if_there(const fs::path& file, Rows& rows, Read read) {
  if (fs::exists(file)) rows = read(file, true);
}

}  // namespace

Block block_of(const Sample& row, const Dictionary& names) {
  return {row.trial, row.process,
          names.name(row.problem) + "/" + names.name(row.case_id) + "/" + names.name(row.state) +
              "/" + names.name(row.boundary),
          row.phase, row.block};
}

Tables read_tables(const fs::path& data) {
  Tables tables;
  read_if_there(data / samples_name, tables.samples, read_samples);
  read_if_there(data / trials_name, tables.trials, read_trials);
  read_if_there(data / kernels_name, tables.kernels, read_kernels);
  read_if_there(data / command_runs_name, tables.command_runs, read_command_runs);
  read_if_there(data / telemetry_name, tables.telemetry, read_telemetry);
  read_if_there(data / startup_name, tables.startup, read_startup);
  return tables;
}

std::set<Process> processes_with_rows(const std::vector<Trial>& trials) {
  std::set<Process> processes;
  for (const Trial& row : trials) processes.emplace(row.trial, row.process);
  return processes;
}

RowsOfSamples::RowsOfSamples(const Tables& tables) : tables_(&tables) {
  for (const KernelRuns& runs : tables.kernels) kernels_[runs.sample].push_back(&runs);
  for (const CommandRun& run : tables.command_runs) runs_.emplace(block_of(run), run.position);
  for (const TelemetryRow& row : tables.telemetry) {
    if (row.moment == "after") told_.emplace(block_of(row), row.position);
  }
  for (const StartupRow& row : tables.startup) ++phases_[{row.trial, row.process}];
}

const char* RowsOfSamples::table_without(std::size_t sample) const {
  const Sample& row = tables_->samples.rows[sample];
  if (row.phase == Phase::canary) return nullptr;
  const Dictionary& names = tables_->samples.names;
  if (names.name(row.timer) == kernel_timer && !kernels_.contains(sample)) return kernels_name;
  const std::string& boundary = names.name(row.boundary);
  if (boundary == command_boundary && !runs_.contains({block_of(row, names), row.position})) {
    return command_runs_name;
  }
  if (boundary == cold_start_boundary) {
    const auto phases = phases_.find({row.trial, row.process});
    if (phases == phases_.end() || phases->second < startup_phases) return startup_name;
  }
  return nullptr;
}

bool RowsOfSamples::has_all_of(std::size_t sample) const {
  const Sample& row = tables_->samples.rows[sample];
  if (row.phase == Phase::canary) return true;
  if (table_without(sample) != nullptr) return false;
  const Dictionary& names = tables_->samples.names;
  if (const auto kernels = kernels_.find(sample);
      kernels != kernels_.end() && names.name(row.timer) == kernel_timer) {
    const Reading<double> interval_ns =
        interval_of(kernels->second, row.iterations, is_uneven(names.name(row.flags)));
    if (!interval_ns || *interval_ns != row.interval_ns) return false;
  }
  if (tables_->telemetry.empty()) return true;
  // A reading is of the samples from its position on.
  const Place place{block_of(row, names), row.position};
  const auto after = told_.upper_bound(place);
  return after != told_.begin() && std::prev(after)->first == place.first;
}

std::vector<std::string> lost_of(const fs::path& data) {
  std::vector<std::string> lost;
  const auto say = [&](const std::string& name, const std::string& why) {
    lost.push_back("data/" + name + (fs::exists(data / name) ? " lacks rows: " : " is missing: ") +
                   why);
  };
  const Tables tables = read_tables(data);
  if (!fs::exists(data / samples_name) && !tables.trials.empty()) {
    say(samples_name, std::string(trials_name) + " tells of processes that took samples");
  }
  if (!fs::exists(data / trials_name) && !tables.samples.rows.empty()) {
    say(trials_name, std::string(samples_name) + " has samples of its processes");
  }
  if (!fs::exists(data / "checks.json") && fs::exists(data / "calibration.json")) {
    say("checks.json", "it is written before calibration.json is");
  }
  const RowsOfSamples others(tables);
  const auto told = processes_with_rows(tables.trials);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < tables.samples.rows.size(); ++i) {
    const Sample& row = tables.samples.rows[i];
    const char* table = others.table_without(i);
    if (table == nullptr || !told.contains({row.trial, row.process})) continue;
    if (!seen.insert(table).second) continue;  // the first one says it
    say(table, std::string(samples_name) + " has a sample of process " +
                   std::to_string(row.process) + " in trial " + std::to_string(row.trial) +
                   ", of which it must have rows");
  }
  return lost;
}

}  // namespace assay::record
