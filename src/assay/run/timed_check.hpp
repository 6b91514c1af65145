// SPDX-License-Identifier: MIT
//
// Which block's outputs are compared with the reference after they were timed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/run/session.hpp"

namespace assay::run {

// Every cell draws one block of one early trial whose outputs are checked: early, since every cell
// lives until its first look. If that trial is lost, each later one draws a block until one is
// checked.
bool outputs_are_checked(const Session& session, std::size_t cell, std::int64_t trial,
                         std::int64_t block);

}  // namespace assay::run
