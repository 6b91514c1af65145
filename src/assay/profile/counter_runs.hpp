// SPDX-License-Identifier: MIT
//
// A unit as a run of a companion, and the words by which its program is started: what is carried
// out, and what a companion is held against afterwards. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/profile/units.hpp"
#include "assay/record/companion.hpp"

namespace assay::profile {

record::CounterRun run_of(const Unit& unit, std::int64_t number, std::int64_t calls);

// The program of the run's build with --once, without the tool. An empty first word where the
// companion has no such program.
std::vector<std::string> once_words(const record::Companion& companion,
                                    const record::CounterRun& run);

}  // namespace assay::profile
