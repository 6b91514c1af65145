// SPDX-License-Identifier: MIT
//
// How many blocks a trial should take next time, from what trials and blocks cost in this record:
// derived for means of blocks, and so an approximation where the estimand is the median.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "assay/judge/parts.hpp"
#include "assay/stats/summary.hpp"
#include "assay/stats/variance_components.hpp"

namespace assay::judge::detail {
namespace {

constexpr double kSecond = 1e9;           // in nanoseconds
constexpr std::size_t kFewestBlocks = 3;  // that a plan may ask for
// More would be a long trial for a spread between trials that was not seen.
constexpr std::size_t kMostBlocksAdvised = 1000;

// The measured blocks of one cell in one trial.
struct Stretch {
  std::int64_t start_ns = 0;
  double end_ns = 0;
  std::uint32_t blocks = 0;
};

using CellKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

CellKey key_of(const record::Sample& row) {
  return {row.problem, row.case_id, row.state, row.boundary};
}

struct Costs {
  std::vector<double> block_s;
  std::vector<double> trial_s;
};

std::map<std::uint32_t, std::map<CellKey, Stretch>> stretches_of(const record::SampleTable& table) {
  std::map<std::uint32_t, std::map<CellKey, Stretch>> by_trial;
  Stretch* current = nullptr;
  const record::Sample* last = nullptr;
  for (const record::Sample& row : table.rows) {
    if (row.phase != record::Phase::measure || row.trial == 0) continue;
    if (last == nullptr || row.trial != last->trial || key_of(row) != key_of(*last)) {
      const auto [found, is_new] =
          by_trial[row.trial].try_emplace(key_of(row), Stretch{.start_ns = row.start_ns});
      current = &found->second;
    }
    last = &row;
    current->start_ns = std::min(current->start_ns, row.start_ns);
    current->end_ns =
        std::max(current->end_ns, static_cast<double>(row.start_ns) + row.interval_ns);
    current->blocks = std::max(current->blocks, row.block + 1);
  }
  return by_trial;
}

// By the cells' names in the table. What a trial takes outside its blocks (processes, preparing,
// warm-up) is shared equally among the cells that it measured.
std::map<CellKey, Costs> costs_of(const record::Evidence& evidence) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> spans;
  for (const record::Trial& process : evidence.trials) {
    const auto [found, is_new] = spans.try_emplace(process.trial, process.start_ns, process.end_ns);
    found->second.first = std::min(found->second.first, process.start_ns);
    found->second.second = std::max(found->second.second, process.end_ns);
  }
  std::map<CellKey, Costs> costs;
  for (const auto& [trial, cells] : stretches_of(evidence.samples)) {
    const auto span = spans.find(trial);
    if (span == spans.end()) continue;
    double outside_ns = static_cast<double>(span->second.second - span->second.first);
    for (const auto& [key, stretch] : cells) {
      outside_ns -= stretch.end_ns - static_cast<double>(stretch.start_ns);
    }
    if (!(outside_ns > 0)) continue;  // clocks that do not fit together say nothing
    for (const auto& [key, stretch] : cells) {
      const double length_ns = stretch.end_ns - static_cast<double>(stretch.start_ns);
      if (!(length_ns > 0)) continue;
      costs[key].block_s.push_back(length_ns / stretch.blocks / kSecond);
      costs[key].trial_s.push_back(outside_ns / static_cast<double>(cells.size()) / kSecond);
    }
  }
  return costs;
}

// One block's log ratio, or without a comparison the log time, by trial.
std::vector<std::vector<double>> blocks_of(const std::vector<TrialPair>& pairs, std::size_t trials,
                                           bool alone) {
  std::vector<std::vector<double>> result;
  for (std::size_t i = 0; i < trials; ++i) {
    const std::vector<double> baseline = pairs[i].baseline->call_ns();
    std::vector<double> logs = alone ? baseline : pairs[i].subject->call_ns();
    for (std::size_t k = 0; k < logs.size(); ++k) {
      logs[k] = std::log(alone ? logs[k] : logs[k] / baseline[k]);
    }
    result.push_back(std::move(logs));
  }
  return result;
}

void take_components(BlocksAdvice& advice, const Costs& costs,
                     const std::vector<std::vector<double>>& blocks) {
  const auto components = stats::variance_components(blocks);
  const auto own =
      stats::samples_per_trial(components, stats::median(costs.trial_s),
                               stats::median(costs.block_s), kFewestBlocks, kMostBlocksAdvised);
  // Of several candidates the one that needs most.
  const bool is_first = !advice.blocks && !advice.within_trial_sd;
  if (!own && !is_first) return;
  if (own && advice.blocks && static_cast<std::int64_t>(own->samples) <= *advice.blocks) return;
  advice.blocks = own.transform(
      [](const stats::SamplesAdvice& a) { return static_cast<std::int64_t>(a.samples); });
  advice.is_bounded = own && own->is_bounded;
  advice.within_trial_sd = components.transform(
      [](const stats::VarianceComponents& c) { return std::sqrt(c.within_trial); });
  advice.between_trials_sd = components.transform(
      [](const stats::VarianceComponents& c) { return std::sqrt(c.between_trials); });
}

// Not the plan's: of commands it is calibrated.
std::int64_t blocks_in_force(const experiment::Calibration& calibration, const std::string& cell) {
  const auto found =
      std::find_if(calibration.cells.begin(), calibration.cells.end(),
                   [&](const experiment::CellCalibration& each) { return each.cell == cell; });
  return found == calibration.cells.end() ? 0 : found->samples_per_trial;
}

}  // namespace

void add_advice(std::vector<CellResult>& cells, const record::Evidence& evidence,
                const std::vector<CellState>& states) {
  const auto by_key = costs_of(evidence);
  std::map<std::string, const Costs*> by_cell;
  const record::Dictionary& names = evidence.samples.names;
  for (const auto& [key, costs] : by_key) {
    const auto& [problem, the_case, state, boundary] = key;
    by_cell[names.name(problem) + "/" + names.name(the_case) + "/" + names.name(state) + "/" +
            names.name(boundary)] = &costs;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellState& state = states[i];
    // A first call is made once a trial: there is nothing to advise.
    if (evidence.plan.cells[i].is_cold_start()) continue;
    BlocksAdvice advice;
    advice.taken = blocks_in_force(evidence.calibration, cells[i].cell);
    const auto costs = by_cell.find(cells[i].cell);
    bool any_look = false;
    const auto take = [&](const std::vector<TrialPair>& pairs, const std::optional<LookData>& look,
                          bool alone) {
      if (!look) return;
      any_look = true;
      if (costs != by_cell.end()) {
        take_components(advice, *costs->second, blocks_of(pairs, look->trials, alone));
      }
    };
    for (const ComparisonState& comparison : state.comparisons) {
      take(comparison.pairs, comparison.look, false);
    }
    if (state.precision) take(state.precision->pairs, state.precision->look, true);
    if (!any_look) continue;
    if (costs == by_cell.end()) {
      const Missing unknown{"not-measured", "trials.csv does not say how long these trials took"};
      advice.blocks = unknown;
      advice.within_trial_sd = unknown;
      advice.between_trials_sd = unknown;
      advice.block_s = unknown;
      advice.trial_s = unknown;
    } else {
      advice.block_s = stats::median(costs->second->block_s);
      advice.trial_s = stats::median(costs->second->trial_s);
    }
    cells[i].advice = std::move(advice);
  }
}

}  // namespace assay::judge::detail
