// SPDX-License-Identifier: MIT
//
// What may be said of a comparison. One vocabulary for code, JSON, tables and exit codes.
#pragma once

#include <optional>
#include <string_view>

namespace assay::stats {

enum class Verdict {
  faster,        // the candidate takes less time than the margin allows
  slower,        // it takes more
  equivalent,    // the difference lies within the margin
  inconclusive,  // the data allow none of the three; a verdict, not a failure
  invalid,       // correctness failed; no time is given. Never said by this layer
  void_,         // the control failed; written "void". Never said by this layer
};

std::string_view to_string(Verdict verdict);

// Nothing for a word that is none of the six.
std::optional<Verdict> verdict_from_string(std::string_view word);

}  // namespace assay::stats
