// SPDX-License-Identifier: MIT
//
// How the subjects' launches fill the device, as the table and the page show it.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::report {

// The head, then a row for each launch of each subject, of many the first few; nothing without any.
std::vector<std::vector<std::string>> launches_table(const judge::Result& result,
                                                     const experiment::Plan& plan);

// "too few blocks to fill the device", "the last wave is 5 % full", "filled", a dash.
std::string filling_text(const model::Waves& waves);

// What compiled kernels keep in memory that is a thread's own, a sentence for each subject and
// kernel with the cells that it is so in; one sentence where it is known of some and none does.
// Nothing where it is known of none.
std::vector<std::string> spill_sentences(const judge::Result& result);

// What the columns mean.
std::string launches_note();

}  // namespace assay::report
