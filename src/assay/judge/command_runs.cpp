// SPDX-License-Identifier: MIT
//
// command-runs.csv against samples.csv and trials.csv: a row for each run, in the same order, and
// no more processor time than the run had. No number of the result is computed from it.
#include "assay/judge/command_runs.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "assay/base/counted.hpp"

namespace assay::judge::detail {
namespace {

using record::CommandRun;
using record::Sample;

// Of what a difference is: the first one is named, the others are counted.
class Differences {
 public:
  void add(const std::string& kind, std::string first) {
    auto& entry = by_kind_[kind];
    if (entry.second++ == 0) entry.first = std::move(first);
  }
  void write(std::vector<std::string>& differences) const {
    for (const auto& [kind, entry] : by_kind_) {
      const auto& [first, count] = entry;
      differences.push_back(
          record::command_runs_name + (": " + first) +
          (count > 1 ? ", and " + counted(count - 1, "more row") + " alike" : ""));
    }
  }

 private:
  std::map<std::string, std::pair<std::string, std::size_t>> by_kind_;
};

// Where a run stands: trial, process, cell, phase, block and position within it.
using Place =
    std::tuple<std::int64_t, std::int64_t, std::string, record::Phase, std::int64_t, std::int64_t>;

std::string cell_of(const std::string& problem, const std::string& the_case,
                    const std::string& state, const std::string& boundary) {
  return problem + "/" + the_case + "/" + state + "/" + boundary;
}

Place place_of(const CommandRun& run) {
  return {run.trial, run.process, cell_of(run.problem, run.case_id, run.state, run.boundary),
          run.phase, run.block,   run.position};
}

Place place_of(const Sample& row, const record::Dictionary& names) {
  return {row.trial,
          row.process,
          cell_of(names.name(row.problem), names.name(row.case_id), names.name(row.state),
                  names.name(row.boundary)),
          row.phase,
          row.block,
          row.position};
}

std::string text_of(const Place& place, const std::string& subject) {
  const auto& [trial, process, cell, phase, block, position] = place;
  return fmt::format("{} at place {} of block {} ({}) of {}, in trial {}, process {}", subject,
                     position, block, record::to_string(phase), cell, trial, process);
}

// On some machines the kernel counts a process's time by ticks, of at most 10 ms: one for the
// program's own time, one for the kernel's.
constexpr double kTicks_ns = 20e6;

void check_time(const CommandRun& run, const Sample& row, std::int64_t cores,
                const std::string& text, Differences& found) {
  const double charged_ns = static_cast<double>(run.user_ns) + static_cast<double>(run.system_ns);
  if (cores < 1 || charged_ns <= row.interval_ns * static_cast<double>(cores) + kTicks_ns) return;
  found.add("time", fmt::format("{} was charged {:.0f} ns of processor time; samples.csv "
                                "has an interval of {:.0f} ns, on {}",
                                text, charged_ns, row.interval_ns, counted(cores, "core")));
}

}  // namespace

void check_command_runs(const record::Record& record, std::vector<std::string>& differences) {
  const record::Evidence& evidence = record.evidence;
  if (!evidence.plan.is_of_commands()) {
    if (!record.command_runs.empty()) {
      differences.push_back(record::command_runs_name +
                            std::string(": runs of commands, though the plan has none"));
    }
    return;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> cores;  // by trial and process
  for (const record::Trial& row : evidence.trials) {
    cores[{row.trial, row.process}] = row.cores_allowed;
  }
  const record::Dictionary& names = evidence.samples.names;
  std::map<Place, std::size_t> rows;  // of samples.csv
  for (std::size_t i = 0; i < evidence.samples.rows.size(); ++i) {
    rows.emplace(place_of(evidence.samples.rows[i], names), i);
  }
  Differences found;
  std::size_t next = 0;  // row that a run may belong to: they are in the same order
  for (const CommandRun& run : record.command_runs) {
    const Place place = place_of(run);
    const std::string text = text_of(place, run.subject);
    const auto row = rows.find(place);
    if (row == rows.end()) {
      found.add("surplus", "a row for " + text + ", which samples.csv does not have");
      continue;
    }
    const Sample& sample = evidence.samples.rows[row->second];
    if (const std::string& subject = names.name(sample.subject); subject != run.subject) {
      found.add("subject", "a row for " + text + "; samples.csv has " + subject + " there");
    }
    if (row->second < next) found.add("order", "not in the order of samples.csv: " + text);
    next = row->second + 1;
    const auto of_process = cores.find({run.trial, run.process});
    check_time(run, sample, of_process == cores.end() ? 0 : of_process->second, text, found);
    rows.erase(row);
  }
  for (const auto& [place, row] : rows) {
    // A parent that was killed leaves no row in trials.csv, and perhaps out the runs of its last
    // block.
    if (!cores.contains({std::get<0>(place), std::get<1>(place)})) continue;
    found.add("missing", "no row for " +
                             text_of(place, names.name(evidence.samples.rows[row].subject)) +
                             ", which samples.csv has");
  }
  found.write(differences);
}

}  // namespace assay::judge::detail
