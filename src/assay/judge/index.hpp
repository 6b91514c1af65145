// SPDX-License-Identifier: MIT
//
// Index: the samples grouped as the judge needs them, built by appending.
//
// A run asks after every trial which cells still need more; scanning a million rows each time would
// cost more than the trials. So rows are sorted once into cell, trial, process and subject, and
// what was computed from a trial is kept until a row is added to it. The same object serves the
// final judgement and the charts of the report.
//
// Which samples enter: phase `measure` of trial 1 and later. A trial counts for a comparison when
// one process of each build holds every block of the subjects that it needs and of the control; of
// several such processes the first counts. Of the boundary cold-start each subject has a process of
// its own, and the first of each counts. What is cut off, repeated or out of order takes no part,
// and is listed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/record/tables.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/summary.hpp"
#include "assay/stats/trial.hpp"

namespace assay::judge {

// The samples of one subject in one cell from one process of one trial, by block.
struct Series {
  std::vector<double> interval_ns;
  std::int64_t iterations = 0;

  std::vector<double> call_ns() const;  // interval ÷ iterations

  // Of the intervals; at least one. Every look asks for them anew, so they are kept.
  struct Spread {
    double median_ns = 0;
    stats::GroupSpread within;
  };
  const Spread& spread() const;

  mutable std::optional<Spread> known_spread = std::nullopt;  // none since a sample was added
};

// One trial that counts for the comparison of a subject with the baseline. The pointers live until
// rows are added.
struct TrialPair {
  std::uint32_t trial = 0;
  std::int64_t layout = 0;
  double log_ratio = 0;  // D: log(time of the subject ÷ time of the baseline)
  const Series* baseline = nullptr;
  const Series* subject = nullptr;
};

class Index {
 public:
  // Both must outlive the index. The calibration must be complete: without it no block count is
  // known, and no sample can count.
  Index(const experiment::Plan& plan, const experiment::Calibration& calibration);
  Index(experiment::Plan&&, const experiment::Calibration&) = delete;
  Index(const experiment::Plan&, experiment::Calibration&&) = delete;

  // Takes the rows that were appended to the table since the last call: always the same table.
  void update(const record::SampleTable& table);

  const experiment::Plan& plan() const noexcept { return *plan_; }
  // nullptr if the cell was not calibrated.
  const experiment::CellCalibration* calibration(std::size_t cell) const;

  // A subject of a cell: an index in Cell::subjects, or control_slot(cell).
  std::size_t control_slot(std::size_t cell) const;

  // All trials that count for the subject against the baseline, in the order of their numbers. Of
  // the baseline itself (slot 0): those in which it and the control are complete.
  std::vector<TrialPair> pairs(std::size_t cell, std::size_t slot) const;

  // Whether the trial has all samples of the subject, whatever it has of the others.
  bool is_measured(std::size_t cell, std::size_t slot, std::uint32_t trial) const;

  // D of one of those trials by an estimand, be it the cell's or the other: of samples in pairs
  // where both subjects are of one build.
  double log_ratio(std::size_t cell, std::size_t slot, const TrialPair& pair,
                   stats::Estimand estimand) const;
  // The cell's estimand, by calibration.
  stats::Estimand estimand(std::size_t cell) const;

  // Sentences: what took no part, and why.
  std::vector<std::string> left_out() const;
  // Samples of calibration and warm-up, which are kept and never analysed.
  std::size_t unanalysed_samples() const noexcept { return unanalysed_; }

  // The outcome of a look, computed once: kept until a row is added to a trial up to `last_trial`
  // of that cell. Different cells may be asked from different threads, one cell may not.
  const stats::LookOutcome& remembered(std::size_t cell, std::size_t slot, std::size_t look,
                                       std::uint32_t last_trial,
                                       const std::function<stats::LookOutcome()>& compute) const;

 private:
  struct Process {
    std::uint32_t process = 0;
    std::string build;
    std::int64_t layout = 0;
    std::vector<Series> series;        // by slot
    std::vector<std::string> defects;  // by slot; empty: in order
  };
  struct TrialData {
    std::vector<Process> processes;
    mutable std::vector<std::optional<double>> log_ratio;  // by slot, once computed
  };
  struct CellData {
    std::size_t blocks = 0;                                    // that a subject must have
    std::vector<std::pair<std::uint64_t, std::size_t>> slots;  // (build, subject) of the table
    std::map<std::uint32_t, TrialData> trials;
    mutable std::map<std::tuple<std::size_t, std::size_t>,
                     std::pair<std::uint32_t, stats::LookOutcome>>
        looks;
  };
  struct Place {
    CellData* cell = nullptr;
    TrialData* trial = nullptr;
    std::size_t process = 0;
  };

  std::size_t cell_of(const record::SampleTable& table, const record::Sample& row);
  std::size_t slot_of(const record::SampleTable& table, const record::Sample& row,
                      std::size_t cell);
  void place(const record::SampleTable& table, const record::Sample& row, std::size_t cell);
  void add(const record::SampleTable& table, const record::Sample& row);
  bool is_complete(const Process& process, std::size_t slot, std::size_t blocks) const;
  std::optional<TrialPair> pair(std::size_t cell, std::size_t slot, std::uint32_t number,
                                const TrialData& trial) const;

  const experiment::Plan* plan_;
  const experiment::Calibration* calibration_;
  std::vector<std::size_t> calibration_of_;  // by cell, index in the calibration
  std::vector<CellData> cells_;
  std::unordered_map<std::string, std::size_t> cell_by_name_;
  std::unordered_map<std::string, std::size_t> cell_by_key_;  // bytes of the four indices
  std::size_t rows_taken_ = 0;
  std::size_t unanalysed_ = 0;
  std::map<std::string, std::size_t> strangers_;  // rows of no cell or subject of the plan
  record::Sample last_row_;
  Place last_;
};

}  // namespace assay::judge
