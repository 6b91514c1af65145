// SPDX-License-Identifier: MIT
//
// What an executable file or a shared library says of itself (elf(5)). Of 64-bit files in this
// machine's byte order, which is what runs here. Internal to env.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::env {

struct ElfFacts {
  Reading<std::string> build_id = Missing{"not-read", ""};  // hexadecimal, of NT_GNU_BUILD_ID
  // Of the section .comment: every compiler and linker that had a part in it, each once.
  Reading<std::vector<std::string>> tools = Missing{"not-read", ""};
  // The libraries that it asks the loader for, in their order; none for a static program.
  Reading<std::vector<std::string>> needed = Missing{"not-read", ""};
  Reading<bool> has_debug_info = Missing{"not-read", ""};
  Reading<bool> is_position_independent = Missing{"not-read", ""};
};

// Missing "not-elf" in every member for another file, "unreadable" for none. Never throws for what
// the file holds.
ElfFacts elf_facts(const std::filesystem::path& file);

}  // namespace assay::env
