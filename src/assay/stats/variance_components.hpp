// SPDX-License-Identifier: MIT
//
// How much of the scatter lies within a trial and how much between trials, and how many samples a
// trial should therefore take.
//
// Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM'13, for two levels. Their
// unbiased estimate of the higher level subtracts what the lower one contributes to it,
// T₂² = S₂² − S₁²/r₁ (the printed text divides otherwise; the authors' library notes the error). A
// negative difference means that the trials scatter no more than their samples explain: it is 0.
// The advice minimises the time for a given standard error. It is for the next plan: the one in
// force is sealed.
//
// Samples in a row resemble each other, so S₁²/r₁ understates what they contribute to a trial's
// mean; the rest counts as between trials, which errs towards fewer samples and more trials.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Trials for an advice: with J of them the relative standard error of T₂ is about 1/√(2(J−1)),
// 27 % for eight, and so is that of K*.
inline constexpr std::size_t kLeastTrialsForComponents = 8;

struct VarianceComponents {
  double within_trial = 0;    // T₁², of a single sample
  double between_trials = 0;  // T₂², clamped at 0
  double of_trial_means = 0;  // S₂², as seen
  double samples = 0;         // r₁; the harmonic mean where trials differ
  std::size_t trials = 0;
};

// One vector of finite samples a trial. Missing ("too-few-trials", "too-few-samples") below two
// trials, or where one has fewer than two samples.
Reading<VarianceComponents> variance_components(std::span<const std::vector<double>> trials);

struct SamplesAdvice {
  std::size_t samples = 0;  // per trial: K* = ⌈√((trial_cost/sample_cost)·(T₁²/T₂²))⌉, within
                            // [least, most]
  bool is_bounded = false;  // K* lies beyond `most`, or T₂² is 0: as many as fit
};

// trial_cost: time of a trial outside its samples; sample_cost: of one more sample; both > 0, in
// the same unit. 1 ≤ least ≤ most. Missing: as the components, or "too-few-trials" below
// kLeastTrialsForComponents, with the number needed.
Reading<SamplesAdvice> samples_per_trial(const Reading<VarianceComponents>& components,
                                         double trial_cost, double sample_cost, std::size_t least,
                                         std::size_t most);

}  // namespace assay::stats
