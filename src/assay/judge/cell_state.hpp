// SPDX-License-Identifier: MIT
//
// One cell at its looks: which comparisons are decided, at which look, and what its control says.
// Shared by the run, which asks whether the cell needs more trials, and by the final judgement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/judge/index.hpp"
#include "assay/judge/look_rules.hpp"
#include "assay/judge/validity.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/control.hpp"

namespace assay::judge {

// The differences that one look sees: of trials, or of layouts.
struct LookData {
  std::vector<double> differences;
  std::size_t trials = 0;        // how many pairs from the front they come from
  std::uint32_t last_trial = 0;  // number of the newest of those
};

struct ComparisonState {
  std::size_t comparison = 0;  // index in Plan::comparisons
  std::size_t slot = 0;        // of the candidate
  bool primary = false;
  Validity validity;
  std::vector<TrialPair> pairs;
  double interval_alpha = 0;
  // The deciding look, else the last that was reached.
  std::optional<LookData> look;
  std::optional<stats::LookOutcome> outcome;
  std::vector<stats::RegionP> p_at_looks;  // up to and with that look; 1 where a guard refused
  bool is_last_look = false;

  bool is_decided() const { return outcome && outcome->verdict != stats::Verdict::inconclusive; }
};

// A cell without comparisons: how well its one subject's time is known.
struct PrecisionState {
  std::vector<TrialPair> pairs;
  Validity validity;
  std::optional<LookData> look;  // `differences`: the logarithms of the times of one call in ns
  Reading<stats::Interval> interval_ns = Missing{"no-look", "no look has been reached"};
  double confidence_level = 0;
  Reading<double> relative_half_width = Missing{"no-look", "no look has been reached"};
  bool is_reached = false;
  bool is_last_look = false;
};

struct CellState {
  std::string refused;  // why it was not measured; empty: it was
  std::string lost;     // the failure after which it took no further part; empty: none
  std::vector<ComparisonState> comparisons;
  std::optional<PrecisionState> precision;
  bool is_done = false;  // it needs no further trial

  // The look at which the cell leaves, or the last reached; the control is judged there.
  std::optional<LookData> control_look;
  std::optional<stats::ControlOutcome> control;
  std::vector<TrialPair> control_pairs;
};

// comparisons: indices of those in Plan::comparisons that belong to the cell. lost: of that cell,
// see lost_cells.
CellState cell_state(const Index& index, const LookRules& rules, std::size_t cell,
                     const std::vector<std::size_t>& comparisons,
                     const std::vector<Validity>& validity, const std::string& lost);

// Plan::comparisons by cell.
std::vector<std::vector<std::size_t>> comparisons_by_cell(const experiment::Plan& plan);

// The same look at another level of the interval: for intervals of those selected from many.
stats::LookOutcome outcome_at(const Index& index, const LookRules& rules, std::size_t cell,
                              const ComparisonState& state, const LookData& look,
                              double interval_alpha);

// The units that a look saw, with their differences by another estimand.
LookData look_by(const Index& index, const LookRules& rules, std::size_t cell,
                 const ComparisonState& state, const LookData& look, stats::Estimand estimand);

// What the timer supports, from the first `trials` of the pairs; missing if its step is unknown.
Reading<stats::Resolution> resolution_of(const Index& index, std::size_t cell,
                                         const std::vector<TrialPair>& pairs, std::size_t trials);

}  // namespace assay::judge
