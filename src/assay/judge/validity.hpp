// SPDX-License-Identifier: MIT
//
// Which subjects may be given a time: not those whose output was wrong, or that failed.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge {

struct Validity {
  std::string why_invalid;  // one sentence; empty: valid
  bool by_worker = false;   // a process crashed, hung or spoke nonsense, or the device did not
                            // take the code: no wrong output was seen
};

// By cell, then by subject of the cell.
//
// A check `before` or `timed` that did not pass counts for the case it was made on. `adversarial`
// checks are made once an experiment, not on every case, so one that does not pass counts for the
// subject in all cells of the problem. A failure counts for its cell, or for all if it names none;
// `too-short` says nothing about the subject and does not count.
std::vector<std::vector<Validity>> validity_of(const experiment::Plan& plan,
                                               const record::Checks& checks);

// Whether the measurement went on as if the failure had not been: a worker that did not start and
// was started again, one that did not live through its canaries or ended badly after its work. Of
// such a failure nothing but the note remains. Only failures of no cell and no subject can be.
bool was_overcome(const experiment::Failure& failure, const std::vector<record::Trial>& trials);

// By cell: the failure of a worker in it for which no subject could be blamed, as a sentence; empty
// if there was none. Such a cell takes part in no further trial: what it would do to the next
// worker is known.
std::vector<std::string> lost_cells(const experiment::Plan& plan, const record::Checks& checks);

// Whether the outcome names this subject: by its text, or by its name alone.
bool names_subject(const std::string& name, const experiment::SubjectId& subject);

}  // namespace assay::judge
