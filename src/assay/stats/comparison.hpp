// SPDX-License-Identifier: MIT
//
// The decision about one comparison at one look.
//
// Input: one difference a trial, D = log(time of the candidate ÷ time of the baseline). One t
// interval of their mean is held against the margin θ: slower if it lies above θ, faster if below
// −θ, equivalent if inside, else inconclusive. At most one of the three can be true, so the chance
// of any wrong verdict is at most that of the interval missing (Goeman, Solari & Stijnen, Stat.
// Med. 29, 2010, "three-sided testing"). Four guards can only take a verdict away: the interval is
// never narrower than the timer supports, and is widened by what rare slow trials may add that so
// few trials need not have shown (rare_trials.hpp); faster and slower also need the sign-flip test;
// lopsided differences are never called equivalent.
//
// Not here: which looks there are, what happens between them, and what many comparisons together
// require (multiplicity.hpp). Correctness and the control are judged by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "assay/base/reading.hpp"
#include "assay/stats/rare_trials.hpp"
#include "assay/stats/resolution.hpp"
#include "assay/stats/skewness.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::stats {

struct LookRule {
  double theta = 0;              // margin in force as a log ratio, log(1 + margin); ≥ 0
  double interval_alpha = 0.01;  // two-sided level of the interval at this look
  double guard_alpha = 0.01;     // level of the sign-flip test at this look
  double skewness_alpha = 0.01;  // at or below it, differences count as lopsided
  std::uint64_t seed = 0;        // of the random sign patterns
};

// For each verdict the smallest two-sided level at which the interval alone (with the timer's floor
// and the room for rare slow trials) would lie wholly in its region. Each is a valid p-value of
// "the truth lies outside this region".
struct RegionP {
  double faster = 1;
  double slower = 1;
  double equivalent = 1;

  // Of the region that a verdict claims; 1 for the other verdicts.
  double of(Verdict verdict) const;
};

// What an interval of the mean of D says against the margin, without the guards. theta ≥ 0.
Verdict region_of(const Interval& interval, double theta);

struct LookOutcome {
  Verdict verdict = Verdict::inconclusive;
  std::size_t trials = 0;
  Reading<double> mean;                   // of D
  Reading<double> standard_deviation;     // of D
  Reading<Interval> interval;             // of the mean of D, at level interval_alpha
  Reading<double> t_half_width;           // what the scatter of the trials alone gives
  Reading<double> resolution_half_width;  // what the timer supports
  Reading<double> sign_flip_p;            // against the margin on the mean's side; missing inside
  Reading<Skewness> skewness;
  Reading<double> unseen_half_width;  // what rare slow trials may add
  bool skewed = false;                // skewness.p ≤ skewness_alpha: worth a finding in any case
  bool blocked_by_skewness = false;   // it would have been equivalent
  bool blocked_by_sign_flip = false;  // it would have been faster or slower
  bool blocked_by_unseen = false;     // without room for rare slow trials it would have a verdict
  Reading<RegionP> p;
  Reading<double> trials_needed;  // estimate for a verdict in 80 of 100 cases; only if inconclusive
};

// differences: finite, any number; below two nothing is known and the verdict is inconclusive.
// resolution: missing when the timer's step is unknown; then differences that all tie give no
// interval ("no-spread"), because nothing says how far from zero their spread may be.
LookOutcome judge_look(std::span<const double> differences, const LookRule& rule,
                       const Reading<Resolution>& resolution);

// Power at which trials_needed is estimated.
inline constexpr double kPlanningPower = 0.8;

}  // namespace assay::stats
