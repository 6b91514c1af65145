// SPDX-License-Identifier: MIT
//
// Copying a folder into a record: what someone needs to understand and repeat the experiment, not
// what can be built again and not other records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::record {

// Copies the source, a folder or a file, to target, which must not exist. Left out: folders named
// build, records, .git and __pycache__, build trees of CMake, records, links to folders, what is
// not a regular file, names that are not UTF-8, unreadable files, files above limit_bytes, and
// everything once 16 × limit_bytes have been copied. Directories appear only with a file in them.
// Returns what was left out, each "PATH: why". Throws Error{write}; Error{bad_input} if there is no
// such source.
std::vector<std::string> archive_folder(const std::filesystem::path& source,
                                        const std::filesystem::path& target,
                                        std::uint64_t limit_bytes);

}  // namespace assay::record
