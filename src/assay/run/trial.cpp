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
#include "assay/run/cold_start.hpp"
#include "assay/run/timed_check.hpp"

namespace assay::run {
namespace {

using experiment::Cell;
using experiment::CellCalibration;

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
    const auto order = in_random_order(session, contenders(session, index), "warm-up", crew.trial(),
                                       cell, request.block);
    if (order.empty()) return Step::done;
    const BlockOutcome outcome = run_block(session, crew, request, order);
    if (outcome.step != Step::done) return outcome.step;
    // A subject that was found warm once stays so: asking all of them to look steady in the same
    // block would wait for a coincidence where single samples scatter.
    bool all_warm = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!outcome.call_ns[i].has_value()) continue;  // dropped out
      const auto name = std::pair(order[i].build, order[i].name);
      auto& times = seen[name];
      times.push_back(*outcome.call_ns[i]);
      if (judge::is_warm(times, calibration.timer_resolution_ns, request.iterations)) {
        warm.insert(name);
      }
      all_warm = all_warm && warm.contains(name);
    }
    if (all_warm) return Step::done;
  }
  // A run of a command is a process of its own: what it finds warm is the page cache, not itself.
  if (session.plan().is_of_commands()) return Step::done;
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
    // What is cut off here takes no part, as if the user had stopped it.
    if (session.budget_is_spent()) return Step::budget_spent;
    const auto order = in_random_order(session, contenders(session, index), "measure", crew.trial(),
                                       cell, request.block);
    if (order.empty()) return Step::done;
    request.content_key = session.key({"content", trial, cell.id(), std::to_string(request.block)});
    request.keep_outputs = outputs_are_checked(session, index, crew.trial(), request.block);
    const BlockOutcome outcome = run_block(session, crew, request, order);
    if (outcome.step != Step::done) return outcome.step;
    if (request.keep_outputs) {
      step = check_cell(session, crew, index, "timed", request.content_key);
      if (step != Step::done) return step;
      session.checked_timed.insert(index);
    }
  }
  return Step::done;
}

// The crew, if there is one, ends as a trial does: with its canaries.
Step end_crew(std::optional<Crew>& crew) {
  if (!crew) return Step::done;
  const Step step = crew->canaries("end");
  if (step == Step::interrupted) return step;
  if (step == Step::done) crew->end();
  crew.reset();
  return Step::done;
}

// Whether the trial already counts for every live subject of the cell, by the judge's own account.
bool is_complete(const Session& session, const judge::Index& index, std::size_t cell,
                 std::int64_t trial) {
  const auto& planned = session.plan().cells[cell].subjects;
  const auto live = session.live_subjects(cell);
  for (std::size_t slot = 0; slot < planned.size(); ++slot) {
    if (std::find(live.begin(), live.end(), planned[slot]) == live.end()) continue;
    const auto pairs = index.pairs(cell, slot);
    const bool has_trial =
        std::any_of(pairs.begin(), pairs.end(), [&](const judge::TrialPair& pair) {
          return static_cast<std::int64_t>(pair.trial) == trial;
        });
    if (!has_trial) return false;
  }
  return true;
}

}  // namespace

Step run_trial(Session& session, std::int64_t trial, const judge::Index& index,
               const judge::Progress& progress) {
  const auto& cells = progress.open_cells;
  std::vector<std::size_t> left;
  Random random(session.key({"cells", std::to_string(trial)}));
  // The order is drawn over all cells of the plan, so that it is the same whichever are still open.
  for (const std::size_t cell : random.permutation(session.plan().cells.size())) {
    const bool open = std::find(cells.begin(), cells.end(), cell) != cells.end();
    if (open && !is_complete(session, index, cell, trial)) left.push_back(cell);
  }
  // One boundary after the other, in an order that is drawn as well: each has processes of its own.
  std::vector<std::string> boundaries = session.protocol().boundaries;
  std::vector<std::string> in_turn;
  for (const std::size_t i : random.permutation(boundaries.size())) {
    in_turn.push_back(boundaries[i]);
  }
  const auto turn_of = [&](std::size_t cell) {
    return std::find(in_turn.begin(), in_turn.end(), session.plan().cells[cell].boundary) -
           in_turn.begin();
  };
  std::stable_sort(left.begin(), left.end(),
                   [&](std::size_t a, std::size_t b) { return turn_of(a) < turn_of(b); });
  const std::size_t all = left.size();
  std::reverse(left.begin(), left.end());  // taken from the back
  std::optional<Crew> crew;
  while (!left.empty()) {
    if (session.hooks.interrupted()) {
      if (crew) crew->abandon(record::outcome::interrupted);
      return Step::interrupted;
    }
    if (session.budget_is_spent()) {
      if (crew) crew->abandon(record::outcome::budget_spent);
      return Step::budget_spent;
    }
    const std::size_t cell = left.back();
    if (session.live_subjects(cell).empty()) {
      left.pop_back();
      continue;
    }
    const bool is_cold_start = session.plan().cells[cell].is_cold_start();
    const std::string& boundary = session.plan().cells[cell].boundary;
    if (crew && crew->boundary() != boundary) {
      const Step step = end_crew(crew);
      if (step != Step::done) return step;
    }
    if (!crew && !is_cold_start) {
      auto started = Crew::start(session, trial, {boundary});
      if (const auto* step = std::get_if<Step>(&started)) return *step;
      crew.emplace(std::move(std::get<Crew>(started)));
      // Before the first cell is prepared, and below after the last block: what they do to the
      // caches meets no sample.
      const Step step = crew->canaries("start");
      if (step == Step::worker_lost) {
        crew.reset();
        continue;
      }
      if (step != Step::done) return step;
    }
    session.hooks.progress({"measuring", trial, session.protocol().looks.back(), all - left.size(),
                            all, progress.decided, progress.comparisons,
                            session.left_at_most_s(trial), session.plan().cells[cell].id()});
    const Step step = is_cold_start ? measure_cold_cell(session, trial, cell, index)
                                    : measure_cell(session, *crew, cell);
    if (step == Step::budget_spent && crew) crew->abandon(record::outcome::budget_spent);
    if (step != Step::done && step != Step::worker_lost) return step;
    if (step == Step::worker_lost)
      crew.reset();  // the cell is lost in this trial; the others go on
    left.pop_back();
  }
  return end_crew(crew);
}

}  // namespace assay::run
