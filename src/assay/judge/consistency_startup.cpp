// SPDX-License-Identifier: MIT
//
// startup.csv against samples.csv and trials.csv: of each process of the boundary cold-start every
// phase once and in order, within the time of the process, and `load` and `call` together the
// sample's interval.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assay/judge/consistency_parts.hpp"

namespace assay::judge::detail {
namespace {

using record::StartupRow;
using ProcessKey = std::pair<std::int64_t, std::int64_t>;  // trial and process

constexpr std::array known_reasons = {no_phase::no_driver, no_phase::no_tensors,
                                      no_phase::no_source, no_phase::no_preparation,
                                      no_phase::not_told,  no_phase::implausible};

// Sums of times that were rounded each by itself.
constexpr double kRounding_ns = 2;

class StartupCheck {
 public:
  explicit StartupCheck(const record::Record& record)
      : record_(record),
        names_(record.evidence.samples.names),
        processes_(process_rows(record.evidence.trials)),
        is_fake_(record.evidence.plan.device.starts_with("fake")) {
    for (const record::Sample& row : record.evidence.samples.rows) {
      if (names_.name(row.boundary) != cold_start_boundary) continue;
      if (!samples_.emplace(ProcessKey(row.trial, row.process), &row).second) {
        found_in_samples_.add("cold-start",
                              process_text(row.trial, row.process) +
                                  " has more than one sample of the boundary cold-start");
      }
    }
  }

  void run(std::vector<std::string>& differences) {
    const auto& rows = record_.evidence.startup;
    for (std::size_t first = 0; first < rows.size();) {
      const ProcessKey process(rows[first].trial, rows[first].process);
      std::vector<const StartupRow*> own;
      for (; first < rows.size() && ProcessKey(rows[first].trial, rows[first].process) == process;
           ++first) {
        own.push_back(&rows[first]);
      }
      check_process(process, own);
    }
    for (const auto& [process, row] : samples_) {
      if (!told_.contains(process)) differs("missing", process, "has a sample and no phases");
    }
    found_in_samples_.write(differences);
    found_.write(differences);
  }

 private:
  void differs(const std::string& kind, const ProcessKey& process, const std::string& what) {
    found_.add(kind, process_text(process.first, process.second) + " " + what);
  }

  void check_process(const ProcessKey& process, const std::vector<const StartupRow*>& rows) {
    if (!told_.insert(process).second) {
      return differs("doubled", process, "has phases in more than one place");
    }
    const auto sample = samples_.find(process);
    if (sample == samples_.end()) {
      if (record_.is_sealed) {
        differs("surplus", process, "has phases and no sample of the boundary cold-start");
      }
      return;
    }
    bool are_all = rows.size() == startup_phases;
    for (std::size_t i = 0; i < rows.size() && are_all; ++i) {
      are_all = static_cast<std::size_t>(rows[i]->phase) == i;
    }
    if (!are_all) return differs("phases", process, "does not have each phase once and in order");
    for (const StartupRow* row : rows) check_reason(process, *row);
    check_times(process, rows);
    check_interval(process, *sample->second, rows);
  }

  void check_reason(const ProcessKey& process, const StartupRow& row) {
    if (row.time) return;
    const std::string& reason = row.time.missing().reason;
    if (std::find(known_reasons.begin(), known_reasons.end(), reason) != known_reasons.end()) {
      return;
    }
    differs("reason", process,
            fmt::format("lacks the phase {} for the reason '{}', which there is none of",
                        to_string(row.phase), reason));
  }

  // The call of the fake device is on a clock of its own.
  void check_times(const ProcessKey& process, const std::vector<const StartupRow*>& rows) {
    const auto of_trials = processes_.find(process);
    double end_ns = 0;
    for (const StartupRow* row : rows) {
      if (!row->time || (is_fake_ && row->phase == StartupPhase::call)) continue;
      const auto start_ns = static_cast<double>(row->time->start_ns);
      if (start_ns + kRounding_ns < end_ns) {
        differs("order", process,
                fmt::format("begins the phase {} before the one before it has ended",
                            to_string(row->phase)));
      }
      end_ns = start_ns + row->time->interval_ns;
      if (of_trials == processes_.end() || is_fake_) continue;
      // The end of a process whose row was written when a run was resumed is not known.
      const record::Trial& trial = *of_trials->second;
      if (trial.outcome == record::outcome::parent_lost) continue;
      if (start_ns < static_cast<double>(trial.start_ns) ||
          end_ns > static_cast<double>(trial.end_ns) + kRounding_ns) {
        differs("window", process,
                fmt::format("has the phase {} outside of its time in trials.csv",
                            to_string(row->phase)));
      }
    }
  }

  void check_interval(const ProcessKey& process, const record::Sample& sample,
                      const std::vector<const StartupRow*>& rows) {
    const auto& load = rows[static_cast<std::size_t>(StartupPhase::load)]->time;
    const auto& call = rows[static_cast<std::size_t>(StartupPhase::call)]->time;
    if (!call) return;
    const double sum_ns = call->interval_ns + (load ? load->interval_ns : 0);
    if (std::abs(sum_ns - sample.interval_ns) <= kRounding_ns) return;
    differs("interval", process,
            fmt::format("took {} ns to load and to call; samples.csv has an interval of {} ns",
                        sum_ns, sample.interval_ns));
  }

  const record::Record& record_;
  const record::Dictionary& names_;
  ProcessRows processes_;
  bool is_fake_;
  std::map<ProcessKey, const record::Sample*> samples_;
  std::set<ProcessKey> told_;
  Differences found_in_samples_{record::samples_name};
  Differences found_{record::startup_name};
};

}  // namespace

void check_startup(const record::Record& record, std::vector<std::string>& differences) {
  StartupCheck(record).run(differences);
}

}  // namespace assay::judge::detail
