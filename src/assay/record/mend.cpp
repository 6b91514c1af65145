// SPDX-License-Identifier: MIT
#include "assay/record/mend.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "assay/base/counted.hpp"
#include "assay/record/files.hpp"
#include "assay/record/sample_rows.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

// Leaves the line of columns and so many rows; a row is a line.
void cut_file(const fs::path& file, std::size_t rows) {
  std::uint64_t read_bytes = 0;
  std::uint64_t kept_bytes = 0;
  std::size_t lines_left = rows + 1;
  read_pieces(file, [&](std::string_view piece) {
    for (std::size_t at = 0; lines_left > 0 && at < piece.size();) {
      const auto end = piece.find('\n', at);
      if (end == std::string_view::npos) break;
      at = end + 1;
      kept_bytes = read_bytes + at;
      --lines_left;
    }
    read_bytes += piece.size();
  });
  AppendFile table = AppendFile::reopen(file);
  table.cut_to(kept_bytes);
  table.sync();
  table.close();
}

class Mending {
 public:
  explicit Mending(const fs::path& data) : data_(data), tables_(read_tables(data)) {
    told_ = processes_with_rows(tables_.trials);
  }

  Mended mend() {
    // What is cut from one table may leave rows without what they are about in another.
    for (std::size_t before = 0;; before = mended_.notes.size()) {
      cut_kernels();
      cut_command_runs();
      cut_trials();
      cut_samples();
      cut_telemetry();
      cut_startup();
      if (mended_.notes.size() == before) break;
    }
    add_rows();
    return std::move(mended_);
  }

 private:
  template <typename Rows>
  void cut(const char* name, Rows& rows, std::size_t kept, const std::string& why) {
    if (kept == rows.size()) return;
    mended_.notes.push_back(std::string(name) + ": cut " + counted(rows.size() - kept, "row") +
                            " at the end, " + why);
    cut_file(data_ / name, kept);
    rows.resize(kept);
  }

  void cut_samples() {
    auto& rows = tables_.samples.rows;
    std::size_t first = rows.size();  // of the tail of processes without a row
    while (first > 0 && !told_.contains({rows[first - 1].trial, rows[first - 1].process})) --first;
    const RowsOfSamples others(tables_);
    std::size_t kept = first;
    while (kept < rows.size() && others.has_all_of(kept)) ++kept;
    cut(samples_name, rows, kept, "from the first on that the other tables do not have whole");
  }

  void cut_kernels() {
    auto& rows = tables_.kernels;
    std::size_t kept = rows.size();
    while (kept > 0 && rows[kept - 1].sample >= tables_.samples.rows.size()) --kept;
    cut(kernels_name, rows, kept, no_samples);
  }

  void cut_command_runs() {
    std::set<Place> places;
    for (const Sample& row : tables_.samples.rows) {
      if (tables_.samples.names.name(row.boundary) != command_boundary) continue;
      places.emplace(block_of(row, tables_.samples.names), row.position);
    }
    auto& rows = tables_.command_runs;
    std::size_t kept = rows.size();
    while (kept > 0 && !places.contains({block_of(rows[kept - 1]), rows[kept - 1].position})) {
      lost_.emplace(rows[kept - 1].trial, rows[kept - 1].process);
      --kept;
    }
    cut(command_runs_name, rows, kept, no_samples);
  }

  // Each process has one sample, whose rows come before it.
  void cut_startup() {
    std::set<Process> seen;
    for (const Sample& row : tables_.samples.rows) seen.emplace(row.trial, row.process);
    auto& rows = tables_.startup;
    std::size_t kept = rows.size();
    while (kept > 0 && !seen.contains({rows[kept - 1].trial, rows[kept - 1].process})) --kept;
    cut(startup_name, rows, kept, no_samples);
  }

  // A block may have been told of without a sample: all of its subjects failed. Only what no row of
  // trials.csv vouches for is cut.
  void cut_telemetry() {
    auto& rows = tables_.telemetry;
    if (rows.empty()) return;
    std::map<Block, std::int64_t> last;  // position
    for (const Sample& row : tables_.samples.rows) {
      last[block_of(row, tables_.samples.names)] = row.position;
    }
    std::size_t kept = rows.size();
    for (; kept > 0; --kept) {
      const TelemetryRow& row = rows[kept - 1];
      if (told_.contains({row.trial, row.process})) break;
      const auto found = last.find(block_of(row));
      if (found != last.end() && found->second >= row.position && row.moment == "after") break;
    }
    cut(telemetry_name, rows, kept, no_samples);
  }

  // A row that says that both runs of the canaries are there, or that a command's process ended
  // well, is of a process with samples.
  void cut_trials() {
    std::map<Process, std::map<std::uint32_t, std::size_t>> canaries;  // rows by block
    std::set<Process> seen;
    for (const Sample& row : tables_.samples.rows) {
      seen.emplace(row.trial, row.process);
      if (row.phase == Phase::canary) ++canaries[{row.trial, row.process}][row.block];
    }
    const auto is_lost = [&](const Trial& row) {
      const Process process(row.trial, row.process);
      if (lost_.contains(process)) return true;
      if (row.canary_missing.empty()) {
        return canaries[process].empty() || canaries[process][1] < canaries[process][0];
      }
      return row.trial > 0 && row.outcome == outcome::completed && !seen.contains(process);
    };
    auto& rows = tables_.trials;
    std::size_t kept = rows.size();
    while (kept > 0 && is_lost(rows[kept - 1])) --kept;
    cut(trials_name, rows, kept, "of processes whose samples are not there");
    told_ = processes_with_rows(rows);
  }

  void add_rows() {
    const Dictionary& names = tables_.samples.names;
    std::map<Process, std::size_t> added;  // index in the rows to add
    for (const Sample& sample : tables_.samples.rows) {
      const Process process(sample.trial, sample.process);
      if (told_.contains(process)) continue;
      const auto [place, is_new] = added.emplace(process, mended_.rows.size());
      if (is_new) {
        Trial row;
        row.trial = sample.trial;
        row.process = sample.process;
        row.build = names.name(sample.build);
        row.layout = sample.layout;
        row.boundary = names.name(sample.boundary);
        row.core = Missing{outcome::parent_lost, ""};
        row.cores_allowed = Missing{outcome::parent_lost, ""};
        row.start_ns = sample.start_ns;
        row.outcome = outcome::parent_lost;
        row.canary_missing = sample.trial == 0                     ? canary::not_asked
                             : row.boundary == command_boundary    ? canary::of_commands
                             : row.boundary == cold_start_boundary ? canary::of_cold_start
                                                                   : canary::not_reached;
        mended_.notes.push_back(std::string(trials_name) + ": added the row of process " +
                                std::to_string(row.process) + " in trial " +
                                std::to_string(row.trial) + ", which had samples and no row");
        mended_.rows.push_back(std::move(row));
      }
      Trial& row = mended_.rows[place->second];
      row.start_ns = std::min(row.start_ns, sample.start_ns);
      row.end_ns = std::max(row.end_ns, sample.start_ns);
      if (sample.phase == Phase::canary && sample.block == 1) row.canary_missing.clear();
    }
  }

  static constexpr const char* no_samples = "about samples that are not there";

  fs::path data_;
  Tables tables_;
  std::set<Process> told_;  // of in trials.csv
  std::set<Process> lost_;  // of which samples are not there
  Mended mended_;
};

}  // namespace

Mended mend_tables(const fs::path& data) { return Mending(data).mend(); }

}  // namespace assay::record
