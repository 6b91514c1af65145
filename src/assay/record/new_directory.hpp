// SPDX-License-Identifier: MIT
//
// Where a record is made: a directory of its own, whose name says what it is. Internal.
#pragma once

#include <filesystem>
#include <string>

namespace assay::record {

// As part of a directory's name: no separators, no leading point or dash, at most 80 bytes.
std::string safe_name(const std::string& name);

// parent/NAME, or NAME-2, -3 … if that is taken: one that exists is never used again. Throws
// Error{write}.
std::filesystem::path new_directory(const std::filesystem::path& parent, const std::string& name);

}  // namespace assay::record
