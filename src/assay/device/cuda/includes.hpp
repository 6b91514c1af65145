// SPDX-License-Identifier: MIT
//
// What a source includes, for the key of the compile cache. NVRTC writes no list of the files that
// it read, so that this looks for them itself: every #include that names a file, wherever it stands
// (conditions and comments are not understood), in the folders in which NVRTC looks. That finds too
// much rather than too little; a file that is not found is left to NVRTC. Internal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::device::cuda {

struct IncludedFile {
  std::filesystem::path path;
  std::string sha256;
};

// All files that the source includes, and those that these include, in the order in which they are
// found, each once. file_name: of the source; quoted includes are looked for in its folder first.
// toolkit: the folders of the compiler's own headers, searched after those of the options. Missing
// where no scan can tell: "computed-include" (a macro names the file, elsewhere than in the
// toolkit), "unreadable-include".
Reading<std::vector<IncludedFile>> included_files(
    const std::string& source, const std::string& file_name,
    const std::vector<std::string>& options, const std::vector<std::filesystem::path>& toolkit);

// Nothing if it cannot be read.
std::optional<std::string> bytes_of_file(const std::filesystem::path& path);

}  // namespace assay::device::cuda
