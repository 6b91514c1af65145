// SPDX-License-Identifier: MIT
#include "assay/judge/index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "assay/base/counted.hpp"
#include "assay/base/error.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Names never hold a newline: they are fields of a plan.
std::string name_key(std::string_view problem, std::string_view the_case, std::string_view state,
                     std::string_view boundary) {
  return fmt::format("{}\n{}\n{}\n{}", problem, the_case, state, boundary);
}

// No interval is shorter than light takes for a nanometre, nor longer than the clock can count:
// what is has been garbled, and would make a ratio that no number holds.
bool is_time(double interval_ns) { return interval_ns >= 1e-9 && interval_ns <= 1e19; }

bool same_place(const record::Sample& a, const record::Sample& b) {
  return a.trial == b.trial && a.process == b.process && a.build == b.build &&
         a.problem == b.problem && a.case_id == b.case_id && a.state == b.state &&
         a.boundary == b.boundary;
}

}  // namespace

std::vector<double> Series::call_ns() const {
  std::vector<double> calls(interval_ns.size());
  std::transform(interval_ns.begin(), interval_ns.end(), calls.begin(),
                 [this](double interval) { return interval / static_cast<double>(iterations); });
  return calls;
}

const Series::Spread& Series::spread() const {
  if (!known_spread) {
    known_spread = Spread{stats::median(interval_ns), stats::spread_within(interval_ns)};
  }
  return *known_spread;
}

Index::Index(const experiment::Plan& plan, const experiment::Calibration& calibration)
    : plan_(&plan),
      calibration_(&calibration),
      calibration_of_(plan.cells.size(), kNone),
      cells_(plan.cells.size()) {
  std::unordered_map<std::string, std::size_t> by_id;
  for (std::size_t i = 0; i < calibration.cells.size(); ++i) by_id[calibration.cells[i].cell] = i;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const experiment::Cell& cell = plan.cells[i];
    cell_by_name_[name_key(cell.problem, cell.the_case.id(), cell.state, cell.boundary)] = i;
    if (const auto found = by_id.find(cell.id()); found != by_id.end()) {
      calibration_of_[i] = found->second;
      const experiment::CellCalibration& own = calibration.cells[found->second];
      if (own.iterations && own.samples_per_trial > 0) {
        cells_[i].blocks = static_cast<std::size_t>(own.samples_per_trial);
      }
    }
  }
}

const experiment::CellCalibration* Index::calibration(std::size_t cell) const {
  const std::size_t index = calibration_of_.at(cell);
  return index == kNone ? nullptr : &calibration_->cells[index];
}

std::size_t Index::control_slot(std::size_t cell) const {
  return plan_->cells.at(cell).subjects.size();
}

std::size_t Index::cell_of(const record::SampleTable& table, const record::Sample& row) {
  const std::array<std::uint32_t, 4> indices{row.problem, row.case_id, row.state, row.boundary};
  std::string key(sizeof indices, '\0');
  std::memcpy(key.data(), indices.data(), sizeof indices);
  if (const auto found = cell_by_key_.find(key); found != cell_by_key_.end()) return found->second;
  const auto found =
      cell_by_name_.find(name_key(table.names.name(row.problem), table.names.name(row.case_id),
                                  table.names.name(row.state), table.names.name(row.boundary)));
  return cell_by_key_[key] = found == cell_by_name_.end() ? kNone : found->second;
}

std::size_t Index::slot_of(const record::SampleTable& table, const record::Sample& row,
                           std::size_t cell) {
  const std::uint64_t key = std::uint64_t{row.build} << 32 | row.subject;
  auto& slots = cells_[cell].slots;
  for (const auto& [known, slot] : slots) {
    if (known == key) return slot;
  }
  const std::string& build = table.names.name(row.build);
  const std::string& subject = table.names.name(row.subject);
  const auto& subjects = plan_->cells[cell].subjects;
  std::size_t slot = kNone;
  if (subject == experiment::control_name) {
    if (!subjects.empty() && build == subjects[0].build) slot = subjects.size();
  } else {
    for (std::size_t i = 0; i < subjects.size() && slot == kNone; ++i) {
      if (subjects[i].build == build && subjects[i].name == subject) slot = i;
    }
  }
  slots.emplace_back(key, slot);
  return slot;
}

void Index::place(const record::SampleTable& table, const record::Sample& row, std::size_t cell) {
  last_.cell = &cells_[cell];
  last_.trial = &last_.cell->trials[row.trial];
  auto& processes = last_.trial->processes;
  const std::string& build = table.names.name(row.build);
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const Process& p) {
    return p.process == row.process && p.build == build;
  });
  last_.process = static_cast<std::size_t>(found - processes.begin());
  last_.trial->log_ratio.clear();
  std::erase_if(last_.cell->looks,
                [&](const auto& look) { return row.trial <= look.second.first; });
  if (found == processes.end()) {
    Process fresh;
    fresh.process = row.process;
    fresh.build = build;
    fresh.layout = row.layout;
    fresh.series.resize(plan_->cells[cell].subjects.size() + 1);
    fresh.defects.resize(fresh.series.size());
    processes.push_back(std::move(fresh));
  }
  last_row_ = row;
}

void Index::add(const record::SampleTable& table, const record::Sample& row) {
  if (row.phase == record::Phase::canary) return;  // of no cell: they describe the trial
  if (row.phase != record::Phase::measure || row.trial == 0) {
    ++unanalysed_;
    return;
  }
  if (last_.cell == nullptr || !same_place(row, last_row_)) {
    const std::size_t cell = cell_of(table, row);
    if (cell == kNone) {
      ++strangers_[fmt::format("{}/{}/{}/{}, which is no cell of the plan",
                               table.names.name(row.problem), table.names.name(row.case_id),
                               table.names.name(row.state), table.names.name(row.boundary))];
      return;
    }
    place(table, row, cell);
  }
  CellData& cell = *last_.cell;
  const std::size_t number = static_cast<std::size_t>(&cell - cells_.data());
  const std::size_t slot = slot_of(table, row, number);
  if (slot == kNone) {
    ++strangers_[fmt::format("subject {} of build {} in {}, which the plan does not have there",
                             table.names.name(row.subject), table.names.name(row.build),
                             plan_->cells[number].id())];
    return;
  }
  Process& process = last_.trial->processes[last_.process];
  Series& series = process.series[slot];
  std::string& defect = process.defects[slot];
  if (!defect.empty()) return;
  if (row.block != series.interval_ns.size()) {
    defect =
        fmt::format("block {} of {} is missing, repeated or out of order",
                    row.block < series.interval_ns.size() ? row.block : series.interval_ns.size(),
                    table.names.name(row.subject));
  } else if (!is_time(row.interval_ns) || row.iterations < 1 ||
             (!series.interval_ns.empty() && row.iterations != series.iterations)) {
    defect = fmt::format(
        "block {} of {} has an interval or a count of iterations that "
        "cannot be",
        row.block, table.names.name(row.subject));
  } else if (row.layout != process.layout) {
    defect = "one process with two layouts";
  } else {
    if (series.interval_ns.empty()) series.interval_ns.reserve(cell.blocks);
    series.interval_ns.push_back(row.interval_ns);
    series.known_spread.reset();
    series.iterations = row.iterations;
  }
}

void Index::update(const record::SampleTable& table) {
  ASSAY_EXPECTS(table.rows.size() >= rows_taken_);
  last_.cell = nullptr;  // so that whatever was computed of a trial in the meantime is dropped
  for (; rows_taken_ < table.rows.size(); ++rows_taken_) add(table, table.rows[rows_taken_]);
}

bool Index::is_complete(const Process& process, std::size_t slot, std::size_t blocks) const {
  return blocks > 0 && process.defects[slot].empty() &&
         process.series[slot].interval_ns.size() == blocks;
}

std::optional<TrialPair> Index::pair(std::size_t cell, std::size_t slot, std::uint32_t number,
                                     const TrialData& trial) const {
  const auto& subjects = plan_->cells[cell].subjects;
  const std::size_t blocks = cells_[cell].blocks;
  const std::string& baseline_build = subjects[0].build;
  const std::string& own_build = slot < subjects.size() ? subjects[slot].build : baseline_build;
  const bool is_alone = plan_->cells[cell].is_cold_start();
  const bool one_process = own_build == baseline_build && !is_alone;

  // The first complete one by its number, whatever the order of the rows.
  const auto first = [&](const std::string& build, std::initializer_list<std::size_t> slots) {
    const Process* best = nullptr;
    for (const Process& process : trial.processes) {
      if (process.build != build || (best != nullptr && best->process < process.process)) continue;
      if (std::all_of(slots.begin(), slots.end(),
                      [&](std::size_t s) { return is_complete(process, s, blocks); })) {
        best = &process;
      }
    }
    return best;
  };
  const Process* baseline = one_process ? first(baseline_build, {0, subjects.size(), slot})
                                        : first(baseline_build, {0, subjects.size()});
  const Process* own = one_process ? baseline : first(own_build, {slot});
  if (is_alone) {
    baseline = first(baseline_build, {0});
    if (first(baseline_build, {subjects.size()}) == nullptr) return std::nullopt;
  }
  if (baseline == nullptr || own == nullptr) return std::nullopt;

  TrialPair result{.trial = number,
                   .layout = baseline->layout,
                   .log_ratio = 0,
                   .baseline = &baseline->series[0],
                   .subject = &own->series[slot]};
  if (trial.log_ratio.empty()) trial.log_ratio.resize(subjects.size() + 1);
  auto& remembered = trial.log_ratio[slot];
  if (!remembered) remembered = log_ratio(cell, slot, result, estimand(cell));
  result.log_ratio = *remembered;
  return result;
}

double Index::log_ratio(std::size_t cell, std::size_t slot, const TrialPair& pair,
                        stats::Estimand estimand) const {
  const auto& subjects = plan_->cells[cell].subjects;
  const bool one_process = !plan_->cells[cell].is_cold_start() &&
                           (slot >= subjects.size() || subjects[slot].build == subjects[0].build);
  const auto baseline = pair.baseline->call_ns();
  const auto subject = pair.subject->call_ns();
  return one_process ? stats::paired_difference(estimand, baseline, subject)
                     : stats::unpaired_difference(estimand, baseline, subject);
}

stats::Estimand Index::estimand(std::size_t cell) const {
  const experiment::CellCalibration* of_cell = calibration(cell);
  return of_cell != nullptr && of_cell->estimand == experiment::Estimand::mean
             ? stats::Estimand::mean
             : stats::Estimand::median;
}

bool Index::is_measured(std::size_t cell, std::size_t slot, std::uint32_t trial) const {
  const CellData& data = cells_.at(cell);
  const auto found = data.trials.find(trial);
  if (found == data.trials.end()) return false;
  const auto& processes = found->second.processes;
  return std::any_of(processes.begin(), processes.end(), [&](const Process& process) {
    return is_complete(process, slot, data.blocks);
  });
}

std::vector<TrialPair> Index::pairs(std::size_t cell, std::size_t slot) const {
  ASSAY_EXPECTS(slot <= control_slot(cell));
  std::vector<TrialPair> result;
  for (const auto& [number, trial] : cells_[cell].trials) {
    if (auto found = pair(cell, slot, number, trial)) result.push_back(*found);
  }
  return result;
}

const stats::LookOutcome& Index::remembered(
    std::size_t cell, std::size_t slot, std::size_t look, std::uint32_t last_trial,
    const std::function<stats::LookOutcome()>& compute) const {
  auto& looks = cells_.at(cell).looks;
  const std::tuple key{slot, look};
  auto found = looks.find(key);
  if (found == looks.end()) {
    found = looks.emplace(key, std::pair(last_trial, compute())).first;
  }
  return found->second.second;
}

std::vector<std::string> Index::left_out() const {
  std::vector<std::string> sentences;
  for (const auto& part : plan_->left_out) {
    sentences.push_back(fmt::format("{}: not measured: {}", part.what, part.reason));
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellData& cell = cells_[i];
    const std::string id = plan_->cells[i].id();
    for (const auto& [number, trial] : cell.trials) {
      std::vector<const Process*> by_number;
      for (const Process& process : trial.processes) by_number.push_back(&process);
      std::sort(by_number.begin(), by_number.end(), [](const Process* a, const Process* b) {
        return std::tie(a->build, a->process) < std::tie(b->build, b->process);
      });
      // Build, and of a cold start subject, that have had their complete process.
      std::set<std::pair<std::string, std::size_t>> served;
      for (const Process* process : by_number) {
        const auto defect = std::find_if(process->defects.begin(), process->defects.end(),
                                         [](const std::string& d) { return !d.empty(); });
        if (defect != process->defects.end()) {
          sentences.push_back(
              fmt::format("{}: trial {}, process {}: {}", id, number, process->process, *defect));
          continue;
        }
        std::size_t samples = 0;
        std::size_t partial = 0;
        std::size_t served_slot = 0;
        for (const Series& series : process->series) {
          if (plan_->cells[i].is_cold_start() && !series.interval_ns.empty()) {
            served_slot = static_cast<std::size_t>(&series - process->series.data());
          }
          samples += series.interval_ns.size();
          if (!series.interval_ns.empty() && series.interval_ns.size() != cell.blocks) ++partial;
        }
        if (samples == 0) continue;
        if (cell.blocks == 0) {
          sentences.push_back(
              fmt::format("{}: trial {}, process {}: {} of a cell that was "
                          "not calibrated",
                          id, number, process->process, counted(samples, "sample")));
        } else if (partial > 0) {
          sentences.push_back(
              fmt::format("{}: trial {}, process {}: cut off after {}; a "
                          "subject needs {}",
                          id, number, process->process, counted(samples, "sample"), cell.blocks));
        } else if (!served.emplace(process->build, served_slot).second) {
          sentences.push_back(
              fmt::format("{}: trial {}, process {}: {}; an earlier process "
                          "of the trial counts",
                          id, number, process->process, counted(samples, "sample")));
        }
      }
    }
  }
  for (const auto& [what, rows] : strangers_) {
    sentences.push_back(fmt::format("{} of {}", counted(rows, "sample"), what));
  }
  return sentences;
}

}  // namespace assay::judge
