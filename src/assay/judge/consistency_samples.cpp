// SPDX-License-Identifier: MIT
//
// samples.csv: every row in its place, of a process that trials.csv has and a cell that the plan
// has, with the iterations of the calibration.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "assay/base/counted.hpp"
#include "assay/judge/consistency_parts.hpp"
#include "assay/record/kernels.hpp"

namespace assay::judge::detail {
namespace {

using record::Phase;
using record::Sample;

// The rows of one process in one cell and phase follow each other.
auto group_of(const Sample& row) {
  return std::tie(row.trial, row.process, row.build, row.layout, row.problem, row.case_id,
                  row.state, row.boundary, row.timer, row.phase);
}

std::string row_text(const Sample& row, const std::string& cell) {
  return fmt::format("position {} of block {} ({}) of {}, in trial {}, process {}", row.position,
                     row.block, record::to_string(row.phase),
                     row.phase == Phase::canary ? "the canaries" : cell, row.trial, row.process);
}

class SampleCheck {
 public:
  explicit SampleCheck(const record::Record& record)
      : record_(record),
        names_(record.evidence.samples.names),
        processes_(process_rows(record.evidence.trials)) {
    const experiment::Plan& plan = record.evidence.plan;
    for (const auto& cell : plan.cells) cells_.emplace(cell.id(), &cell);
    for (const auto& cell : record.evidence.calibration.cells) {
      if (cell.iterations) iterations_[cell.cell] = *cell.iterations;
    }
    is_fake_ = plan.device.starts_with("fake");
  }

  void run(std::vector<std::string>& differences) {
    const Sample* before = nullptr;
    for (const Sample& row : record_.evidence.samples.rows) {
      if (before == nullptr || group_of(*before) != group_of(row)) begin_group(row);
      before = &row;
      check_place(row);
      check_iterations(row);
      check_window(row);
    }
    found_.write(differences);
  }

 private:
  void begin_group(const Sample& row) {
    cell_ = cell_text(row, names_);
    place_ = &last_.try_emplace({row.process, cell_, row.phase}, -1, -1).first->second;
    const auto calibrated = iterations_.find(cell_);
    wanted_ =
        calibrated == iterations_.end() || row.phase != Phase::measure ? 0 : calibrated->second;
    const auto planned = cells_.find(cell_);
    planned_ = planned == cells_.end() ? nullptr : planned->second;
    const auto process = processes_.find({row.trial, row.process});
    process_ = process == processes_.end() ? nullptr : process->second;
    if (planned_ != nullptr && row.phase != Phase::canary &&
        planned_->timer != names_.name(row.timer)) {
      found_.add("timer", fmt::format("{} was timed by '{}'; the plan has '{}'", cell_,
                                      names_.name(row.timer), planned_->timer));
    }
    if (process_ == nullptr) {
      if (missing_.emplace(row.trial, row.process).second) {
        found_.add("process " + std::to_string(row.process),
                   "has samples of " + process_text(row.trial, row.process) +
                       ", which has no row in trials.csv");
      }
      return;
    }
    if (process_->build != names_.name(row.build) ||
        process_->boundary != names_.name(row.boundary) ||
        process_->layout != static_cast<std::int64_t>(row.layout)) {
      found_.add("process",
                 fmt::format("samples of {} are of build '{}', layout {}, boundary '{}'; "
                             "trials.csv has build '{}', layout {}, boundary '{}'",
                             process_text(row.trial, row.process), names_.name(row.build),
                             row.layout, names_.name(row.boundary), process_->build,
                             process_->layout, process_->boundary));
    }
  }

  // Blocks are taken in their order, and so are the samples in a block: each place once.
  void check_place(const Sample& row) {
    const std::pair<std::int64_t, std::int64_t> place(row.block, row.position);
    if (place <= *place_) {
      found_.add("place", row_text(row, cell_) + ": stands there twice or out of order");
    }
    *place_ = place;
    if (planned_ == nullptr || row.phase == Phase::canary) return;
    // The subjects and the control.
    if (row.position > planned_->subjects.size()) {
      found_.add("position", row_text(row, cell_) + ": a block has " +
                                 counted(planned_->subjects.size() + 1, "sample"));
    }
  }

  void check_iterations(const Sample& row) {
    if (wanted_ == 0 || wanted_ == row.iterations || !said_.insert(cell_).second) return;
    found_.add("iterations " + cell_,
               fmt::format("{} has samples of {}; calibration.json says {}", cell_,
                           counted(row.iterations, "iteration"), wanted_));
  }

  // The fake device has a clock of its own, and that of a GPU is only related to the machine's.
  void check_window(const Sample& row) {
    if (is_fake_ || process_ == nullptr || names_.name(row.timer) == record::kernel_timer) return;
    if (row.start_ns >= process_->start_ns && row.start_ns <= process_->end_ns) return;
    found_.add(
        "window",
        fmt::format("{}: begins at {} ns; trials.csv has its process from {} to {} ns",
                    row_text(row, cell_), row.start_ns, process_->start_ns, process_->end_ns));
  }

  const record::Record& record_;
  const record::Dictionary& names_;
  ProcessRows processes_;
  std::map<std::string, const experiment::Cell*> cells_;
  std::map<std::string, std::int64_t> iterations_;  // by cell
  bool is_fake_ = false;
  Differences found_{"samples.csv"};

  // Of the group.
  std::string cell_;
  const experiment::Cell* planned_ = nullptr;
  const record::Trial* process_ = nullptr;
  std::pair<std::int64_t, std::int64_t>* place_ = nullptr;
  std::int64_t wanted_ = 0;  // iterations; 0: any

  // Block and position of the row that was seen last, by process, cell and phase.
  std::map<std::tuple<std::uint32_t, std::string, Phase>, std::pair<std::int64_t, std::int64_t>>
      last_;
  std::set<std::pair<std::int64_t, std::int64_t>> missing_;
  std::set<std::string> said_;
};

}  // namespace

void check_samples(const record::Record& record, std::vector<std::string>& differences) {
  SampleCheck(record).run(differences);
}

}  // namespace assay::judge::detail
