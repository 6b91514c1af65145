// SPDX-License-Identifier: MIT
//
// The levels and margins at looks that a plan implies, in one place.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/experiment/plan.hpp"

namespace assay::judge {

struct LookRules {
  double theta = 0;                 // margin in force as a log ratio
  std::vector<std::int64_t> looks;  // those that can be reached, ascending
  bool by_layout = false;           // looks count layouts instead of trials
  double alpha = 0;                 // of the whole experiment
  std::size_t primaries = 0;
  double primary_alpha = 0;         // of one interval at one look
  double other_alpha = 0;           // the same for the others; also the sign-flip test's level
  double control_alpha = 0;         // the control, for a finding
  double control_shared_alpha = 0;  // the control, to void
};

// With more than one layout, looks beyond their number can never be reached, and take no share
// of α.
LookRules look_rules_of(const experiment::Plan& plan);

}  // namespace assay::judge
