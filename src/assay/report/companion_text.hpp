// SPDX-License-Identifier: MIT
//
// A companion record for a terminal: for each cell and counter what every subject needs in one
// call, and how many times the baseline's that is. The time of the timed record stands beside it
// where that record is at hand, as the record has it: nothing here was timed.
#pragma once

#include <string>
#include <vector>

#include "assay/judge/result.hpp"
#include "assay/record/companion.hpp"
#include "assay/report/terminal.hpp"

namespace assay::report {

struct CounterLine {
  const record::Counter* counter = nullptr;
  Reading<double> per_call = Missing{"not-counted", ""};
  // Of what all calls count together; missing for the baseline itself ("baseline"), where the
  // baseline's is not known ("no-baseline") or 0 ("zero-baseline"), and for what one kernel of
  // several counted ("one-of-several").
  Reading<double> ratio = Missing{"not-counted", ""};
};

// Beside the companion's counters, in their order.
std::vector<CounterLine> counter_lines(const record::CompanionRecord& companion);

// timed: the result of the record that it is about; nullptr where that is not at hand.
// with_launches: also what each kernel counted.
std::string companion_table(const record::CompanionRecord& companion, const judge::Result* timed,
                            bool with_launches, TerminalStyle style);

// companion.json, and its counters with per_call and ratio_to_baseline.
Json companion_json(const record::CompanionRecord& companion);

}  // namespace assay::report
