// SPDX-License-Identifier: MIT
//
// How fine a difference the timer supports, whatever the scatter of the trials says.
//
// A timer that advances in steps of r makes many samples tie. Medians of tied samples tie too, the
// spread between trials reads zero, and an interval built on that spread alone is certain of
// something that was never seen. If samples spread over less than about a step they may sit in
// phase with it, and repetition does not help: the half-width stays at r/T (T: length of a sample).
// If they spread further, rounding errors are independent and average out; each has variance r²/12
// (Widrow & Kollár, Quantization Noise, 2008), so a mean over K samples, J trials and two subjects
// has standard error r/(T·√(6KJ)).
#pragma once

#include <cstddef>
#include <span>

#include "assay/base/reading.hpp"

namespace assay::stats {

// Samples that spread over less than this share of a step may be in phase with it.
inline constexpr double kDitherSteps = 0.75;

// Log ratios that lie closer together tie, up to rounding: 1e-12 is 1e-10 %.
inline constexpr double kNoLogSpread = 1e-12;

// Whether all differences (log ratios, at least one) tie: their spread was not seen, which is not
// the same as zero.
bool differences_tie(std::span<const double> differences);

struct SubjectTiming {
  double sample_length_s = 0;         // typical length of a timed interval, all its iterations
  Reading<double> within_trial_sd_s;  // spread of those lengths within a trial, pooled over trials
};

struct Resolution {
  double step_s = 0;                  // r
  std::size_t samples_per_trial = 0;  // K, of each subject
  SubjectTiming baseline;
  SubjectTiming candidate;
};

// r/T with the shorter of the two samples as T. Where it exceeds the margin, "equivalent" is out of
// reach; where it exceeds 0.1 the call cannot be measured so.
double relative_step(const Resolution& resolution);

// Whether the samples of both subjects spread enough to average the steps out. An unknown spread
// does not.
bool is_dithered(const Resolution& resolution);

// Smallest honest half-width of an interval of the mean log ratio of `trials` trials; t is the
// quantile of the interval, used when dithered.
double resolution_half_width(const Resolution& resolution, double t, std::size_t trials);

// The same as a standard error: r/(T·√(6KJ)) when dithered, else 0 (the half-width is then constant
// and no standard error).
double resolution_standard_error(const Resolution& resolution, std::size_t trials);

}  // namespace assay::stats
