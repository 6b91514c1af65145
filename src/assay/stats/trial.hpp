// SPDX-License-Identifier: MIT
//
// From the samples of one trial to the one number that enters the analysis.
//
// Samples within a process share its memory layout, its clock and their neighbours: they are
// correlated, and tests on them are wrong half of the time at a nominal 5 %. So each trial is
// reduced to one log ratio, and only trials are counted. The median is the rule, because single
// samples are hit by interrupts; the mean where the timer's step is a sizeable part of the margin,
// because medians of quantised times tie and jump.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay::stats {

enum class Estimand { median, mean };

std::string_view to_string(Estimand estimand);
std::optional<Estimand> estimand_from_string(std::string_view word);

// Below this margin the choice of the estimand no longer follows the margin.
inline constexpr double kLeastMarginForEstimand = 0.005;

// The mean where r/T exceeds a tenth of max(margin, kLeastMarginForEstimand); else the median.
// relative_step: r/T; margin as a fraction.
Estimand choose_estimand(double relative_step, double margin);

// D of a trial whose samples were taken in blocks, baseline[k] and candidate[k] in the same one:
// median of log(candidate[k]/baseline[k]), or log of the ratio of the means. Times above 0, both
// spans of the same length, at least one.
double paired_difference(Estimand estimand, std::span<const double> baseline,
                         std::span<const double> candidate);

// D where samples do not belong together in pairs: log of the ratio of the medians (or means). The
// median of ratios is not the ratio of medians; a plan says which one it means.
double unpaired_difference(Estimand estimand, std::span<const double> baseline,
                           std::span<const double> candidate);

}  // namespace assay::stats
