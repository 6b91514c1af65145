// SPDX-License-Identifier: MIT
//
// What this machine, build and source are: the facts that a number depends on, each with where it
// was read. What could not be read is there too, with the reason: {"value": …, "source": …} or
// {"missing": reason, "detail": …, "source": …}. The parent reads the host; readings of a GPU come
// from the worker that drives it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "assay/base/json.hpp"
#include "assay/base/sources.hpp"

namespace assay::env {

inline constexpr std::string_view environment_format = "assay-environment/1";

// The content of environment.json. `root` is where the file system starts, so that tests can bring
// a /proc and a /sys of their own. Never throws for what is absent.
Json environment_of_this_machine(const std::filesystem::path& root = "/");

// A digest of what makes a machine the same one between two calls: its id and host name (not that
// of a container, which changes), architecture, kernel, processor with its microcode, how many of
// them are online, hypervisor. Nothing that is measured, and not the memory, which some virtual
// machines are given bit by bit. `environment` is what the function above gave, now or as read from
// a record.
std::string machine_fingerprint(const Json& environment);

// Revision, whether files differ from it, how (up to diff_limit_bytes) and which files are unknown
// to git, for the repository that holds the folder. Runs git; missing without git or repository.
Json source_revision(const std::filesystem::path& folder,
                     std::uint64_t diff_limit_bytes = std::uint64_t{1} << 20);

// SHA-256, size and, of an ELF file, the build id, the compilers and linker that made it, the
// libraries it asks for, whether it has debug information.
Json binary_facts(const std::filesystem::path& file);

// The files whose code a running process has mapped, without its program: each with its build id,
// if it has one. A reading; missing where the process may not be looked at or has ended.
Json loaded_libraries(const Sources& sources, std::int64_t process);

}  // namespace assay::env
