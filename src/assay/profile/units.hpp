// SPDX-License-Identifier: MIT
//
// What of a timed record is to be counted: a unit is a subject in a cell, whatever boundaries the
// cell was timed in, since a counter has none. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"

namespace assay::profile {

// Empty lists: all.
struct Selection {
  std::vector<std::string> subjects;  // SubjectId::text(), or the name alone
  std::vector<std::string> cases;     // ids; their axes in any order
  std::vector<std::string> states;
  experiment::CellFilter filter;
};

struct Unit {
  std::string problem;
  Case the_case;
  std::string state;
  std::string own_state;
  experiment::SubjectId subject;
  bool is_baseline = false;
  int threads = 1;               // as declared; −1: all cores
  std::int64_t calls_timed = 1;  // in one sample, as calibrated
};

// In the order of the plan, the baseline of a cell first. Throws Error{usage} for a name that the
// plan does not have, with those that it has, and where nothing is left.
std::vector<Unit> units_of(const experiment::Plan& plan, const experiment::Calibration& calibration,
                           const Selection& selection);

}  // namespace assay::profile
