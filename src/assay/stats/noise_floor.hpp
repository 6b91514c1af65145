// SPDX-License-Identifier: MIT
//
// What a comparison of A with A says about the smallest difference that can be told.
//
// Two numbers, as functions of the number of trials, because "noise" alone says nothing about what
// can be claimed. One bounds what identical code was seen to differ by: the smallest margin at
// which these data would call A equivalent to A, |mean| + half-width of the interval. Its half that
// does not shrink with more trials is a bias of the machine or of the method, which is why a margin
// below it is not honest. The other is power: the true difference that is called faster or slower
// at margin 0 in kPlanningPower of experiments.
#pragma once

#include <cstddef>

#include "assay/base/reading.hpp"
#include "assay/stats/resolution.hpp"

namespace assay::stats {

// A against A over some trials, one difference each.
struct SelfComparison {
  double mean = 0;                // of D, a log ratio; finite
  double standard_deviation = 0;  // of D between trials; ≥ 0
  // What the timer supports. Missing: its step is unknown, and a spread of 0 says nothing.
  Reading<Resolution> resolution = Missing{"not-measured", "the step of the timer is unknown"};
};

// Half-width, a log ratio, of the interval at two-sided level alpha of the mean of so many trials
// (≥ 2) that spread as these did, as judge_look takes it: t·s/√J, no less than the timer supports,
// and room for rare slow trials. Missing ("no-spread") when neither is known.
Reading<double> half_width_after(const SelfComparison& self, std::size_t trials, double alpha);

// The smallest margin, a fraction, at which A is called equivalent to A when the interval has level
// alpha, after so many trials with this mean and spread. At the number of trials that the numbers
// come from it is the upper end of |interval|: what these trials did not exclude.
Reading<double> equivalence_margin(const SelfComparison& self, std::size_t trials, double alpha);

// The true difference, a fraction, that is called slower at margin 0 in kPlanningPower of
// experiments with a look of level alpha after so many trials. The interval excludes 0 when the
// mean exceeds c of its standard errors, c = t₁₋α⸝₂ and the room for rare slow trials; the mean in
// those errors is noncentral t, whose quantile is approximated by c·(1 − 1/4ν) + z₀.₈·√(1 + c²/2ν)
// (Johnson & Welch, Biometrika 31, 1940; within 1 % of the exact one from 8 trials on). The
// sign-flip test takes no further power where the first look of the protocol is allowed.
Reading<double> resolvable_difference(const SelfComparison& self, std::size_t trials, double alpha);

}  // namespace assay::stats
