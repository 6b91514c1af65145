// SPDX-License-Identifier: MIT
//
// The text of --filter as a test of cells' ids.
//
// RE2 and not std::regex: that one overflows the stack at a deeply nested expression and can try
// for longer than anybody waits, deaf to signals, at one that RE2 matches in linear time. What RE2
// lacks for it, backward references and looking ahead, no cell's id needs.
#pragma once

#include <string>

#include "assay/experiment/experiment.hpp"

namespace assay::cli {

// Passes the ids in which the regular expression is found, anywhere; all where it is empty. Throws
// Error{usage} for what is no regular expression.
experiment::CellFilter cell_filter(const std::string& expression);

}  // namespace assay::cli
