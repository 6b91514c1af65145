// SPDX-License-Identifier: MIT
//
// What must hold between the values of a protocol, wherever they came from: the experiment file,
// the command line, a plan that is read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::experiment::detail {

// Why the looks make no sense at this level; empty if they do.
std::string trouble_with_looks(const std::vector<std::int64_t>& looks, double alpha);

// Why so many layouts make no sense; empty if they do.
std::string trouble_with_replicates(std::int64_t replicates,
                                    const std::vector<std::int64_t>& looks);

}  // namespace assay::experiment::detail
