// SPDX-License-Identifier: MIT
//
// Reading a file that a person names and that ought to be small: an experiment, a script. What is
// no regular file is not opened, because a device such as /dev/zero has no end and a pipe may have
// none; and no more is read than such a file can have, whatever size the system says it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "assay/base/reading.hpp"

namespace assay {

// All bytes of the file. Missing: "no-such-file", "not-a-file", "too-large", "unreadable", with a
// detail that goes after "cannot read FILE: ".
Reading<std::string> read_small_file(const std::filesystem::path& file, std::uintmax_t most_bytes);

}  // namespace assay
