// SPDX-License-Identifier: MIT
//
// The machine's measured limits beside the subjects' times. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/judge/index.hpp"
#include "assay/judge/result.hpp"
#include "assay/judge/validity.hpp"
#include "assay/model/ceilings.hpp"

namespace assay::judge::detail {

// Those that count for a subject: of its number of threads, from what the plan took of the machine,
// else from what the device said when it described itself. No levels where there are none.
model::Ceilings ceilings_of(const experiment::Plan& plan, const experiment::Cell& cell,
                            std::size_t slot);
// The reason, where there are none.
Missing why_no_ceilings(const experiment::Plan& plan);

// What a call of the subject has to do; missing where no work is declared. A subject with a state
// of its own starts from that, not from the cell's.
Reading<model::MemoryCall> memory_call(const experiment::Plan& plan, const experiment::Cell& cell,
                                       std::size_t slot);

// What they predict for such a call in that cell, and how near a time comes to it.
LimitsResult limits_result(const Index& index, std::size_t cell, const model::MemoryCall& call,
                           const model::Ceilings& ceilings, double call_ns);

// A subject whose time is less than the best measured ceiling allows did not do the work, or was
// not timed: it is refused like one with a wrong output.
void refuse_impossible(const Index& index, std::vector<std::vector<Validity>>& validity);

}  // namespace assay::judge::detail
