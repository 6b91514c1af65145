// SPDX-License-Identifier: MIT
//
// The cells of the boundary cold-start: each subject, and the baseline a second time as the
// control, makes one call in a process of its own, in random order. Nothing of the library's or of
// another subject comes before that call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "assay/run/block.hpp"
#include "assay/run/session.hpp"

namespace assay::run {

// One sample of each live subject that this trial does not have yet: index has taken all samples so
// far. A process that is lost costs its subject the cell, and no other anything; interrupted,
// budget_spent and hopeless as of a crew.
Step measure_cold_cell(Session& session, std::int64_t trial, std::size_t cell,
                       const judge::Index& index);

// The first call of one subject in trial 0, in a process of its own.
BlockOutcome first_call(Session& session, std::size_t cell, const Contender& contender,
                        std::int64_t block);

// What a worker told of its start, as far as the parent's own clock allows it: from the moment at
// which it was launched (first_ns) until now (last_ns). What is not allowed is missing.
// has_own_clock: of a device whose calls are on another clock, the fake one.
Startup startup_of(const wire::StartupTold& told, std::int64_t first_ns, std::int64_t last_ns,
                   bool has_own_clock);

// Into the evidence and the record: how the process that took the only sample of a block came to
// it. What the parent's own clock does not allow is missing.
void keep_startup(Session& session, const Crew& crew, std::size_t build,
                  const std::optional<wire::StartupTold>& told);

}  // namespace assay::run
