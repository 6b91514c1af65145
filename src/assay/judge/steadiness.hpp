// SPDX-License-Identifier: MIT
//
// Whether the times of a cell settled, and whether they drifted over the run. Neither changes a
// verdict: what moves both sides of a block alike leaves their ratio alone. A drift takes the claim
// from absolute times; without a steady state nothing is claimed of one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/stats/change_points.hpp"

namespace assay::judge {

// The baseline's blocks of all trials that were judged, in time order.
struct DriftResult {
  bool has_drifted = false;
  double level = 0.05;        // of the test; 0.01 where it drifted at that level too
  double step_statistic = 0;  // see stats/drift.hpp
  double slope_statistic = 0;
  std::int64_t points = 0;      // that it was computed from …
  std::int64_t batch = 0;       // … each the mean of so many blocks
  std::int64_t from_trial = 0;  // where the later part begins, were there a change
  double ratio = 1;             // time of the later part ÷ time of the earlier one
};

struct SteadyResult {
  std::string subject;
  // No steady state where that holds for at least half of the trials; else what most of the settled
  // ones are.
  Reading<stats::SteadyClass> within_trials = Missing{"not-measured", ""};
  std::int64_t unsettled_trials = 0;  // of those without a steady state
  // Of the trials' medians, in time order.
  Reading<stats::SteadyClass> over_trials = Missing{"not-measured", ""};

  bool is_unsettled() const;
};

struct Steadiness {
  Reading<DriftResult> drift = Missing{"not-measured", ""};
  std::vector<SteadyResult> subjects;  // baseline and candidates that are valid

  bool has_drifted() const { return drift && drift->has_drifted; }
  // Subjects without a steady state, within trials or over them.
  std::vector<std::string> unsettled() const;
};

// Members "drift" and "steady_state" of a cell in result.json.
void add_json(Json& cell, const Steadiness& steadiness);
Steadiness take_steadiness(ObjectReader& cell);

}  // namespace assay::judge
