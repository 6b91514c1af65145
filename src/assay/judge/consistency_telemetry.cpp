// SPDX-License-Identifier: MIT
//
// telemetry.csv: readings in pairs around what samples.csv has, in its order, by clocks that go
// forward.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "assay/judge/consistency_parts.hpp"

namespace assay::judge::detail {
namespace {

using record::Phase;
using record::TelemetryRow;

// A process, cell, phase and block, as a reading and a sample name it.
using Told = std::tuple<std::int64_t, std::int64_t, std::string, Phase, std::int64_t>;

Told told_of(const TelemetryRow& row) {
  return {row.trial, row.process, cell_text(row.problem, row.case_id, row.state, row.boundary),
          row.phase, row.block};
}

std::string told_text(const Told& told) {
  const auto& [trial, process, cell, phase, block] = told;
  return fmt::format("block {} ({}) of {}, in trial {}, process {}", block,
                     record::to_string(phase), cell, trial, process);
}

class TelemetryCheck {
 public:
  explicit TelemetryCheck(const record::Record& record)
      : record_(record),
        processes_(process_rows(record.evidence.trials)),
        is_fake_(record.evidence.plan.device.starts_with("fake")) {
    const auto& samples = record.evidence.samples;
    for (const record::Sample& row : samples.rows) {
      if (row.phase == Phase::canary) continue;
      ++samples_[{row.trial, row.process, cell_text(row, samples.names), row.phase, row.block}];
    }
    for (const auto& failure : record.evidence.checks.failures) failed_.insert(failure.cell);
  }

  void run(std::vector<std::string>& differences) {
    const auto& rows = record_.evidence.telemetry;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      const Told told = told_of(rows[i]);
      const bool is_pair = i + 1 < rows.size() && rows[i].moment == "before" &&
                           rows[i + 1].moment == "after" && told_of(rows[i + 1]) == told &&
                           rows[i].position == rows[i + 1].position;
      if (!is_pair) {
        found_.add("pair", told_text(told) + " has a reading that is not one of a pair");
        break;  // whatever follows is out of step
      }
      check_pair(told, rows[i], rows[i + 1]);
    }
    check_missing();
    found_.write(differences);
  }

 private:
  void check_pair(const Told& told, const TelemetryRow& before, const TelemetryRow& after) {
    const auto process = processes_.find({before.trial, before.process});
    if (process == processes_.end()) {
      found_.add("process",
                 process_text(before.trial, before.process) + ", which trials.csv does not have");
    } else {
      check_window(told, *process->second, before.telemetry, after.telemetry);
    }
    // Where all of a block's subjects failed it has readings and no sample, perhaps more than one.
    const auto& cell = std::get<2>(told);
    if (!samples_.contains(told) && !failed_.contains(cell)) {
      found_.add("surplus", told_text(told) + ", which samples.csv does not have");
    }
    auto& last = last_.try_emplace({before.process, cell, before.phase}, -1, -1).first->second;
    const std::pair place(before.block, before.position);
    if (place <= last && !failed_.contains(cell)) {
      found_.add("place", told_text(told) + " stands twice or out of order");
    }
    last = place;
    auto& clock_ns = clock_ns_[before.process];
    if (before.telemetry.time_ns < clock_ns || after.telemetry.time_ns < before.telemetry.time_ns) {
      found_.add("time", told_text(told) + " has a reading from before the one above it");
    }
    clock_ns = after.telemetry.time_ns;
    told_.insert(told);
    tells_.insert(before.process);
  }

  // The fake device has a clock of its own, and of a process whose parent was lost only samples
  // tell when it was.
  void check_window(const Told& told, const record::Trial& process, const Telemetry& before,
                    const Telemetry& after) {
    if (is_fake_ || process.outcome == record::outcome::parent_lost) return;
    if (before.time_ns >= process.start_ns && after.time_ns <= process.end_ns) return;
    found_.add("window", fmt::format("{} has readings from {} to {} ns; trials.csv has its process "
                                     "from {} to {} ns",
                                     told_text(told), before.time_ns, after.time_ns,
                                     process.start_ns, process.end_ns));
  }

  // A device that tells, tells of every block.
  void check_missing() {
    for (const auto& [told, samples] : samples_) {
      const auto process = processes_.find({std::get<0>(told), std::get<1>(told)});
      if (process == processes_.end() || process->second->outcome != record::outcome::completed) {
        continue;
      }
      if (tells_.contains(std::get<1>(told)) && !told_.contains(told)) {
        found_.add("missing", "no reading of " + told_text(told));
      }
    }
  }

  const record::Record& record_;
  ProcessRows processes_;
  bool is_fake_;
  std::map<Told, std::size_t> samples_;
  std::set<std::string> failed_;  // cells
  std::set<Told> told_;
  std::set<std::int64_t> tells_;  // processes
  // Block and position of the pair that was seen last, by process, cell and phase.
  std::map<std::tuple<std::int64_t, std::string, Phase>, std::pair<std::int64_t, std::int64_t>>
      last_;
  std::map<std::int64_t, std::int64_t> clock_ns_;  // by process
  Differences found_{record::telemetry_name};
};

}  // namespace

void check_telemetry(const record::Record& record, std::vector<std::string>& differences) {
  if (!record.evidence.telemetry.empty()) TelemetryCheck(record).run(differences);
}

}  // namespace assay::judge::detail
