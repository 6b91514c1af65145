// SPDX-License-Identifier: MIT
//
// Rotation: how many copies of a cell's inputs and outputs the state `rotate` goes through, so that
// no cache holds what a sample is about to touch. The plan and the worker find it by the same rule.
// Internal.
#pragma once

#include <cstdint>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"

namespace assay {

struct Rotation {
  std::int64_t copies = 0;
  std::int64_t bytes = 0;  // of inputs and outputs, all copies together

  friend bool operator==(const Rotation&, const Rotation&) = default;
};

// Times the size of the last-level cache that others' data pass through between two uses of a copy:
// as much as an eviction reads. What replaces what in a cache is not told; once its size is not
// enough.
inline constexpr std::int64_t caches_between_uses = 3;
// More make each trial's preparation and the renewal of content longer than its samples.
inline constexpr std::int64_t most_copies = 128;

// As few copies, two at least, as let the others' bytes together be caches_between_uses times the
// cache. footprint_bytes: of one copy. Missing, with a sentence that goes on from the cell's name:
// "nothing-to-rotate", "cache-unknown", or "too-small" where more than most_copies would be needed.
Reading<Rotation> rotation_for(std::int64_t footprint_bytes,
                               const Reading<std::int64_t>& last_level_cache_bytes);

Json to_json(const Rotation& rotation);
// Throws Error{bad_input}.
Rotation rotation_from_json(const Json& json, const std::string& where);

}  // namespace assay
