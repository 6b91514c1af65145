// SPDX-License-Identifier: MIT
//
// The device's measured limits beside the subjects' times. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/judge/index.hpp"
#include "assay/judge/validity.hpp"
#include "assay/model/ceilings.hpp"

namespace assay::judge::detail {

// Those of the plan, as its first build described them.
model::Ceilings ceilings_of(const experiment::Plan& plan);

// What a call of the subject has to move; missing where no work is declared. A subject with a state
// of its own starts from that, not from the cell's.
Reading<model::MemoryCall> memory_call(const experiment::Plan& plan, const experiment::Cell& cell,
                                       std::size_t slot);

// A subject whose time is less than the best measured ceiling allows did not do the work, or was
// not timed: it is refused like one with a wrong output.
void refuse_impossible(const Index& index, std::vector<std::vector<Validity>>& validity);

}  // namespace assay::judge::detail
