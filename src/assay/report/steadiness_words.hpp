// SPDX-License-Identifier: MIT
//
// Steady state and drift in words, for the table and the page.
#pragma once

#include <string>
#include <vector>

#include "assay/judge/result.hpp"

namespace assay::report {

// " †" behind a time that has lost its claim because it drifted; else nothing.
std::string drift_mark(const judge::CellResult& cell);

// Of all cells that were measured, in one or two sentences; empty if there are none.
std::vector<std::string> steadiness_sentences(const judge::Result& result);

// Of one cell, with the reasons where something could not be judged.
std::string steadiness_of_cell(const judge::CellResult& cell);

}  // namespace assay::report
