// SPDX-License-Identifier: MIT
//
// What the canaries say of the machine: fixed kernels of the worker, run at the start and at the
// end of every trial. They describe the trials and never change a verdict: what moves the machine
// moves both sides of a block, and a ratio keeps its meaning where an absolute time loses it.
//
// Only what was measured on the same core is compared, because the cores of one machine can differ
// by tens of percent and every trial draws its core. A finding needs a change that is both large
// and beyond chance; docs/explanation/canaries.md derives the bounds and says how often they are
// wrong. Internal to judge/.
#pragma once

#include <vector>

#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// A change of a fixed kernel's time by less says little: absolute times are held against ceilings
// with 5 % to spare.
inline constexpr double kCanaryChangeFrac = 0.05;
// Of the intervals that must lie wholly beyond it.
inline constexpr double kCanaryConfidence = 0.99;
// Trials that a statement about a change needs, as a first look does.
inline constexpr std::int64_t kCanaryTrials = 8;
// A trial stands apart from the others of its core when it is so far from their median at its start
// and its end alike, and farther than so many of their SDs (1.4826 MAD).
inline constexpr double kCanaryApartFrac = 0.2;
inline constexpr double kCanaryApartSds = 4;
// That many trials, and that share of them, are more than chance.
inline constexpr std::int64_t kCanaryApartTrials = 3;
inline constexpr double kCanaryApartShare = 0.1;

// One entry for each kernel that any trial holds, by name, boundary and timer: what one timer shows
// of a kernel another one does not, and processes of another boundary may be set up otherwise.
// Trial 0 takes no part.
Canaries canaries_of(const record::Evidence& evidence);

// "machine.unsteady", one for each kernel that shows a change.
void add_of_canaries(std::vector<Finding>& findings, const Canaries& canaries);

}  // namespace assay::judge::detail
