// SPDX-License-Identifier: MIT
//
// What a process may print whose output only goes into a log: more is a flood, such as that of
// yes(1), which would fill the disk until the time is up. Of a flood the record keeps the
// beginning.
#pragma once

#include <cstdint>

namespace assay::run {

inline constexpr std::uintmax_t most_printed_bytes = std::uintmax_t{16} << 20;
inline constexpr std::uintmax_t kept_bytes_of_flood = std::uintmax_t{64} << 10;

}  // namespace assay::run
