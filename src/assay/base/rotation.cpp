// SPDX-License-Identifier: MIT
#include "assay/base/rotation.hpp"

#include <algorithm>

#include "assay/base/error.hpp"

namespace assay {
namespace {

std::int64_t ceiling_of(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace

Reading<Rotation> rotation_for(std::int64_t footprint_bytes,
                               const Reading<std::int64_t>& last_level_cache_bytes) {
  if (footprint_bytes <= 0) {
    return Missing{"nothing-to-rotate",
                   "has no inputs and outputs that could be rotated; use the state warm"};
  }
  if (!last_level_cache_bytes || *last_level_cache_bytes <= 0) {
    return Missing{"cache-unknown",
                   "cannot be rotated, since the size of the last-level cache is not known; use "
                   "the state cold"};
  }
  const std::int64_t between_bytes = caches_between_uses * *last_level_cache_bytes;
  const std::int64_t copies =
      std::max<std::int64_t>(2, ceiling_of(between_bytes, footprint_bytes) + 1);
  if (copies > most_copies) {
    return Missing{
        "too-small",
        "has inputs and outputs of " + std::to_string(footprint_bytes) + " bytes: only with " +
            std::to_string(copies) + " copies would " + std::to_string(caches_between_uses) +
            " times the last-level cache of " + std::to_string(*last_level_cache_bytes) +
            " bytes lie between two uses of one, and at most " + std::to_string(most_copies) +
            " are made; use the state cold, or a case of " +
            std::to_string(ceiling_of(between_bytes, most_copies - 1)) + " bytes or more"};
  }
  return Rotation{copies, copies * footprint_bytes};
}

Json to_json(const Rotation& rotation) {
  return {{"copies", rotation.copies}, {"bytes", rotation.bytes}};
}

Rotation rotation_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Rotation rotation;
  rotation.copies = reader.take<std::int64_t>("copies");
  rotation.bytes = reader.take<std::int64_t>("bytes");
  reader.finish();
  if (rotation.copies < 2 || rotation.bytes < rotation.copies) {
    throw Error(ErrorKind::bad_input, where + ": a rotation has at least 2 copies, each of a byte");
  }
  return rotation;
}

}  // namespace assay
