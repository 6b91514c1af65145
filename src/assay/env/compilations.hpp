// SPDX-License-Identifier: MIT
//
// With what compiler and flags the parts of a program were compiled, as its debug information tells
// (DWARF 5, section 3.1.1: DW_AT_producer; GCC writes the flags there, by -grecord-gcc-switches,
// which is its default, Clang by -grecord-command-line alone). Internal to env.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::env {

// The sources that were compiled alike.
struct Compilation {
  std::string compiler;                          // "GNU C++17 12.2.0"
  Reading<std::string> flags = Missing{"", ""};  // those that decide what code is generated
  std::int64_t sources = 0;
  std::vector<std::string> examples;  // file names of the first few, without folders
};

struct Compilations {
  std::vector<Compilation> all;  // most sources first
  // Whether any part was optimised at link time, or by what a run had measured; "not-told" where
  // the flags of a part are not known and no other part says so.
  Reading<bool> link_time_optimised = Missing{"not-told", ""};
  Reading<bool> profile_guided = Missing{"not-told", ""};
};

// "unreadable", "not-there" without debug information, "not-understood". Never throws for what the
// file holds.
Reading<Compilations> compilations_of(const std::filesystem::path& file);

// Its parts: most sources first, of very many the first, and what they say together.
Compilations together(std::vector<Compilation> all);

// What a DW_AT_producer says, without sources.
Compilation compilation_of(const std::string& producer);

}  // namespace assay::env
