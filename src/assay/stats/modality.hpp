// SPDX-License-Identifier: MIT
//
// Do the samples of one subject fall into several modes, and do these switch within trials or only
// between them?
//
// A median between two modes describes neither, and a ratio of medians may jump where the ratio of
// means hardly moves. So several modes are a flag: it changes no verdict, it asks for both
// estimands and for a table of the modes.
//
// Samples of different trials must not simply be pooled. Trials differ, by core, memory layout and
// clock, often by more than the samples within one do; then each trial is a clump of its own, and a
// pool of trials without any modes is flagged. So there are two tests: *within* trials, of all
// samples after what is common to their own trial has been taken out; and *between* trials, of the
// trials' medians, one a trial, from kLeastTrialsForModes on.
//
// What is common to a trial is its centre (a trimmed mean: a median would hop between two modes of
// equal share and so feign a third, a mean would follow a single slow sample), shrunk by its
// reliability: the share of the variance between centres that the two halves of a trial, every
// other sample, agree on. Where trials do not differ, nothing is taken out, since that would only
// blur the modes.
//
// A timer's steps are modes to the dip test: of normal samples rounded to 0.25 SD it flags nearly
// all. So every value is first moved by a seeded uniform ± step/2, which undoes the rounding on
// average; medians of rounded samples are rounded too, and are moved likewise.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/stats/modes.hpp"

namespace assay::stats {

inline constexpr double kModalityAlpha = 0.01;  // below it, a p of the dip test is a flag
inline constexpr std::size_t kLeastTrialsForModes = 16;
inline constexpr std::size_t kLeastSamplesWithin = 4;  // of a trial, to look for modes within
// More samples are thinned: one drawn by seed from each of so many equal stretches of them.
inline constexpr std::size_t kMostSamplesForModes = std::size_t{1} << 16;

// values, each moved by a uniform amount within ± step/2 that follows from seed and its position.
// step: finite, ≥ 0.
std::vector<double> dequantised(std::span<const double> values, double step, std::uint64_t seed);

// The smallest difference between distinct values: the timer's step, where enough samples lie
// close together, or more. Missing when all tie ("no-spread"). At least one value.
Reading<double> smallest_gap(std::span<const double> values);

enum class ModesSeen { none, within_trials, between_trials, within_and_between, insufficient };

// "none", "within-trials", "between-trials", "within-and-between", "insufficient".
std::string_view to_string(ModesSeen seen);

struct Modality {
  // insufficient: pooled samples clump, but not within trials, and there are too few trials to tell
  // modes from mere differences between trials. none: no proof that there is one mode only.
  ModesSeen seen = ModesSeen::none;
  Reading<double> p_within = Missing{"not-measured", ""};
  Reading<double> p_between = Missing{"not-measured", ""};
  // Only where there are too few trials for p_between.
  Reading<double> p_pooled = Missing{"not-needed", "there are trials enough to test their medians"};
  // Only where several are seen. Within trials: of the samples as in a typical trial; between
  // trials: of the trials' medians; both: of all samples as they are. Where the usual lowland finds
  // one, the shallower ones that do separate; one alone: none does.
  std::vector<Mode> modes;

  bool several() const { return seen != ModesSeen::none && seen != ModesSeen::insufficient; }
};

// trials: the samples of one subject, one span a trial, in time order; finite and above 0. step:
// the timer's, in the unit of the samples; if missing, smallest_gap of all. Missing with fewer than
// four samples ("too-few-values"), when all tie ("no-spread"), and when the step is as long as
// the shortest sample ("too-coarse").
Reading<Modality> modality(std::span<const std::span<const double>> trials,
                           const Reading<double>& step, std::uint64_t seed, ModeFinder& find_modes);

}  // namespace assay::stats
