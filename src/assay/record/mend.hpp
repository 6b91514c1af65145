// SPDX-License-Identifier: MIT
//
// What a run that was killed, or a machine that lost power, left behind: tables that do not agree
// with each other. They are brought to the last state that a run could have gone on from, and
// nothing else is touched.
//
// The order of writing makes this possible: rows about samples are with the kernel before their
// samples, and all of them are on the disk before the row of their process enters trials.csv. So
// what trials.csv tells of is whole, and only the tails of processes without a row can be ragged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/record/tables.hpp"

namespace assay::record {

struct Mended {
  // Processes that have samples and no row in trials.csv: rows to append, in the order of samples.
  std::vector<Trial> rows;
  // A sentence for each thing that was done or is to be done: what was cut, whose row was added.
  std::vector<std::string> notes;
};

// Cuts, in the tables of `data`,
// - from samples.csv the rows of processes without a row in trials.csv, from the first one on that
//   lacks what the other tables must have of it;
// - from kernels.csv, command-runs.csv, telemetry.csv and startup.csv the rows about samples that
// are not there;
// - from trials.csv the rows of processes whose samples are not there.
// To be called by who holds the record's lock, before its tables are opened. Throws
// Error{bad_input} for a table that cannot be read, Error{write}.
Mended mend_tables(const std::filesystem::path& data);

}  // namespace assay::record
