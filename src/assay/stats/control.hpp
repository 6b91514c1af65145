// SPDX-License-Identifier: MIT
//
// What the control says about its cell: the baseline measured twice under two names must not
// differ.
//
// A control that differs shows a bias of the experiment itself (position, placement, leftover
// state), and voids the verdicts of its cell. Judged at half the margin, because a bias need not be
// as large as the margin to move a verdict across it; at a level shared among all cells, because
// otherwise an experiment of a dozen honest cells would void one in three times. What only the
// unshared level shows is worth a finding. A control that decides nothing voids nothing.
#pragma once

#include <span>

#include "assay/base/reading.hpp"
#include "assay/stats/resolution.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {

struct ControlRule {
  double theta = 0;            // margin in force, log ratio
  double shared_alpha = 0.01;  // level per look ÷ cells in the plan
  double alpha = 0.01;         // level per look
};

struct ControlOutcome {
  Reading<Interval> interval;  // of the mean log ratio control ÷ baseline, at shared_alpha
  bool voids = false;
  bool suspicious = false;  // beyond θ/2 at the unshared level
};

ControlOutcome judge_control(std::span<const double> differences, const ControlRule& rule,
                             const Reading<Resolution>& resolution);

}  // namespace assay::stats
