// SPDX-License-Identifier: MIT
//
// Counts in sentences: "1 trial", "8 trials". Of nouns that form their plural with an s, as all of
// Assay's do. Internal: a user's program never sees it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

template <typename Integer>
std::string counted(Integer count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace assay
