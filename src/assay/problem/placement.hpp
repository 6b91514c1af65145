// SPDX-License-Identifier: MIT
//
// Where a tensor lies inside its allocation, and the two patterns that surround and precede its
// content: guard zones before, after and in the gaps of strides, which show a write outside the
// elements; poison in the elements of an output, which shows an element that was never written.
//
// Pure functions on host bytes: a worker whose memory lies on a device copies the whole allocation
// back and checks it here. Both patterns depend on a key, so that a subject which writes one fixed
// value cannot match them again and again. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/problem/tensor.hpp"

namespace assay {

inline constexpr std::size_t payload_alignment_bytes = 64;
// One page on either side: more than any vector width, and a whole row of most off-by-one mistakes.
inline constexpr std::size_t guard_zone_bytes = 4096;

// An allocation (aligned to at least payload_alignment_bytes) is guard, payload, guard.
struct Placement {
  std::size_t total_bytes;     // a multiple of payload_alignment_bytes
  std::size_t payload_offset;  // of the first element; moved by Tensor::misaligned_by
  std::size_t payload_bytes;   // from the first to one past the last element, gaps included
};
Placement placement_of(const Tensor& tensor);

// How far an allocation is moved from the start of a page: a multiple of payload_alignment_bytes
// below one page, drawn from the key and the tensor's name. Fixed offsets would leave inputs and
// outputs at the same place of their pages in every trial, and what that does to a subject's time
// would look like the subject's own.
inline constexpr std::size_t page_bytes = 4096;
std::size_t drawn_shift_bytes(std::uint64_t content_key, const std::string& tensor_name);

// For outputs: guards and poison over the whole allocation.
void poison(const Tensor& tensor, std::byte* allocation, std::uint64_t key);
// The elements alone, where the guards stand already.
void poison_elements(const Tensor& tensor, std::byte* payload, std::uint64_t key);
// For inputs: the guard zones alone, elements untouched.
void arm_guards(const Tensor& tensor, std::byte* allocation, std::uint64_t key);

struct GuardReport {
  enum class Place { none, before, gap, after };
  Place place = Place::none;       // of the first changed byte in memory order; none: all intact
  std::int64_t first_byte = 0;     // from the first element's first byte; negative before it
  std::int64_t changed_bytes = 0;  // in all guard zones
  bool intact() const noexcept { return place == Place::none; }
  // "12 bytes of the guard after 'y' were changed, the first 0 bytes past its end".
  std::string text(const std::string& tensor_name, const Tensor& tensor) const;
};
// key: the one that the guards were armed with.
GuardReport check_guards(const Tensor& tensor, const std::byte* allocation, std::uint64_t key);

// One element of poison: for floating types a NaN (with unusual payload bits where the type has
// room for them), for others a large unusual number.
std::vector<std::byte> poison_element(const DType& dtype, std::uint64_t key);

struct Unwritten {
  std::int64_t count = 0;
  std::int64_t first = -1;  // logical index; -1 if there is none
};
// Elements that still hold the poison. A written value can look like it in an 8-bit type only by a
// NaN, in an integer type by chance: compare_output() counts such an element only if it is wrong.
Unwritten find_unwritten(const Tensor& tensor, const std::byte* payload, std::uint64_t key);

}  // namespace assay
