// SPDX-License-Identifier: MIT
//
// One number for a candidate over many cells: the geometric mean of its ratios.
//
// Cells that share a trial share its machine state, so they are no independent repetitions and
// their number must not narrow the interval. Each trial is reduced to the mean of its log ratios
// over the cells, and the interval is Student's over trials: whatever covariance the cells have is
// in the spread of those means (the top level of Kalibera & Jones, ISMM'13). It has the room for
// rare slow trials that a verdict's interval has (rare_trials.hpp). Only trials that
// count in every cell enter, since a mean over other cells is another quantity. Every cell weighs
// the same. A summary hides that a candidate is faster here and slower there; it stands beside the
// verdicts and is none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {

struct SuiteMean {
  double log_ratio = 0;  // mean over cells and trials
  Interval interval;     // of it
  std::size_t trials = 0;
  std::size_t cells = 0;
};

// differences[i][j]: D of cell i in trial j, finite, the same trials for every cell (equal
// lengths); at least one cell. The interval is never narrower than ± half_width_floor. Missing
// below two trials
// ("too-few-trials"), and when the means of all trials tie and no floor is known ("no-spread").
Reading<SuiteMean> suite_mean(std::span<const std::vector<double>> differences,
                              double confidence_level, double half_width_floor = 0);

}  // namespace assay::stats
