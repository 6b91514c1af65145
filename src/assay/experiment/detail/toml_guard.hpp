// SPDX-License-Identifier: MIT
//
// Refuses text that toml++ must not see: what it does with it is undefined, or uses up the stack.
#pragma once

#include <cstddef>
#include <string>

namespace assay::experiment::detail {

struct TomlTrouble {
  std::size_t line = 0;
  std::string words;  // empty: none
};

// Two things that are no TOML, or none that a person writes: a character beyond ASCII outside texts
// and comments (in toml++ 3.3 deciding whether it is white space runs into __builtin_unreachable),
// and a line of hundreds of points (dotted keys are built and destroyed by recursion).
TomlTrouble trouble_before_toml(const std::string& text);

}  // namespace assay::experiment::detail
