// SPDX-License-Identifier: MIT
#include "assay/run/trial.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "assay/base/random.hpp"
#include "assay/base/time.hpp"
#include "assay/judge/rules.hpp"
#include "assay/run/block.hpp"

namespace assay::run {
namespace {

using experiment::Cell;
using experiment::CellCalibration;

// Every cell draws one block of one early trial whose outputs are checked: early, since every cell
// lives until its first look.
bool outputs_are_checked(const Session& session, const Cell& cell, std::int64_t trial,
                         std::int64_t block) {
  Random random(session.key({"timed-check", cell.id()}));
  const auto first_look = static_cast<std::uint64_t>(session.protocol().looks.front());
  const auto drawn_trial = static_cast<std::int64_t>(random.next_below(first_look)) + 1;
  const auto drawn_block = static_cast<std::int64_t>(
      random.next_below(static_cast<std::uint64_t>(session.protocol().blocks)));
  return cell.checked && trial == drawn_trial && block == drawn_block;
}

std::vector<Contender> in_random_order(const Session& session, const std::vector<Contender>& all,
                                       const std::string& phase, std::int64_t trial,
                                       const Cell& cell, std::int64_t block) {
  Random random(
      session.key({"order", phase, std::to_string(trial), cell.id(), std::to_string(block)}));
  std::vector<Contender> ordered;
  for (const std::size_t place : random.permutation(all.size())) ordered.push_back(all[place]);
  return ordered;
}

Step warm_up(Session& session, Crew& crew, std::size_t index, const CellCalibration& calibration) {
  const Cell& cell = session.plan().cells[index];
  BlockRequest request;
  request.cell = index;
  request.phase = record::Phase::warm_up;
  request.iterations = *calibration.iterations;
  std::map<std::pair<std::size_t, std::string>, std::vector<double>> seen;
  std::set<std::pair<std::size_t, std::string>> warm;
  for (request.block = 0; request.block < session.protocol().warmup_blocks_max; ++request.block) {
    const auto order = in_random_order(session, contenders(session, crew, index), "warm-up",
                                       crew.trial(), cell, request.block);
    if (order.empty()) return Step::done;
    const BlockOutcome outcome = run_block(session, crew, request, order);
    if (outcome.step != Step::done) return outcome.step;
    // A subject that was found warm once stays so: asking all of them to look steady in the same
    // block would wait for a coincidence where single samples scatter.
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!outcome.call_ns[i].has_value()) continue;
      const auto name = std::pair(order[i].build, order[i].name);
      auto& times = seen[name];
      times.push_back(*outcome.call_ns[i]);
      if (judge::is_warm(times, calibration.timer_resolution_ns, request.iterations)) {
        warm.insert(name);
      }
    }
    if (warm.size() == seen.size()) return Step::done;
  }
  crew.note_not_steady(cell.id());
  return Step::done;
}

Step measure_cell(Session& session, Crew& crew, std::size_t index) {
  const Cell& cell = session.plan().cells[index];
  const CellCalibration& calibration = session.evidence.calibration.cells[index];
  const PreparedCell prepared = prepare_cell(session, crew, index);
  if (prepared.step != Step::done) return prepared.step;
  Step step = warm_up(session, crew, index, calibration);
  if (step != Step::done) return step;

  const std::string trial = std::to_string(crew.trial());
  BlockRequest request;
  request.cell = index;
  request.iterations = *calibration.iterations;
  for (request.block = 0; request.block < calibration.samples_per_trial; ++request.block) {
    const auto order = in_random_order(session, contenders(session, crew, index), "measure",
                                       crew.trial(), cell, request.block);
    if (order.empty()) return Step::done;
    request.content_key = session.key({"content", trial, cell.id(), std::to_string(request.block)});
    request.keep_outputs = outputs_are_checked(session, cell, crew.trial(), request.block);
    const BlockOutcome outcome = run_block(session, crew, request, order);
    if (outcome.step != Step::done) return outcome.step;
    if (request.keep_outputs) {
      step = check_cell(session, crew, index, "timed", request.content_key);
      if (step != Step::done) return step;
    }
  }
  return Step::done;
}

// Cells of which one process per build holds all blocks of this trial.
std::set<std::size_t> complete_cells(const Session& session, std::int64_t trial) {
  std::set<std::size_t> complete;
  const record::SampleTable& table = session.evidence.samples;
  std::map<std::string, std::map<std::uint32_t, std::set<std::uint32_t>>>
      blocks;  // cell, process → blocks
  // Rows lie in the order of time: those of the newest trial are the last.
  for (auto newest = table.rows.rbegin(); newest != table.rows.rend(); ++newest) {
    const record::Sample& row = *newest;
    if (row.trial != trial) break;
    if (row.phase != record::Phase::measure) continue;
    blocks[table.names.name(row.problem) + "/" + table.names.name(row.case_id) + "/" +
           table.names.name(row.state) + "/" + table.names.name(row.boundary)][row.process]
        .insert(row.block);
  }
  for (std::size_t index = 0; index < session.plan().cells.size(); ++index) {
    const auto found = blocks.find(session.plan().cells[index].id());
    if (found == blocks.end()) continue;
    const auto wanted =
        static_cast<std::size_t>(session.evidence.calibration.cells[index].samples_per_trial);
    const auto full =
        std::count_if(found->second.begin(), found->second.end(),
                      [&](const auto& process) { return process.second.size() == wanted; });
    if (static_cast<std::size_t>(full) >= session.plan().builds.size()) complete.insert(index);
  }
  return complete;
}

}  // namespace

Step run_trial(Session& session, std::int64_t trial, const std::vector<std::size_t>& cells,
               const judge::Progress& progress) {
  const std::set<std::size_t> complete = complete_cells(session, trial);
  std::vector<std::size_t> left;
  Random random(session.key({"cells", std::to_string(trial)}));
  // The order is drawn over all cells of the plan, so that it is the same whichever are still open.
  for (const std::size_t index : random.permutation(session.plan().cells.size())) {
    const bool open = std::find(cells.begin(), cells.end(), index) != cells.end();
    if (open && !complete.contains(index)) left.push_back(index);
  }
  const std::size_t all = left.size();
  std::reverse(left.begin(), left.end());  // taken from the back
  std::optional<Crew> crew;
  while (!left.empty()) {
    if (session.hooks.interrupted()) {
      if (crew) crew->abandon("interrupted");
      return Step::interrupted;
    }
    if (session.budget_is_spent()) {
      if (crew) crew->abandon("budget-spent");
      return Step::budget_spent;
    }
    const std::size_t index = left.back();
    if (session.live_subjects(index).empty()) {
      left.pop_back();
      continue;
    }
    if (!crew) {
      auto started = Crew::start(session, trial);
      if (const auto* step = std::get_if<Step>(&started)) return *step;
      crew.emplace(std::move(std::get<Crew>(started)));
    }
    session.hooks.progress({"measuring", trial, session.protocol().looks.back(), all - left.size(),
                            all, progress.decided, progress.comparisons,
                            session.left_at_most_s(trial), session.plan().cells[index].id()});
    const Step step = measure_cell(session, *crew, index);
    if (step == Step::interrupted || step == Step::hopeless) return step;
    if (step == Step::worker_lost)
      crew.reset();  // the cell is lost in this trial; the others go on
    left.pop_back();
  }
  if (crew) crew->end();
  return Step::done;
}

}  // namespace assay::run
