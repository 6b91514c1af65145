// SPDX-License-Identifier: MIT
//
// Vectors of hundreds of megabytes for the library's own work. The system gives memory page by page
// as it is touched first, which for pages of 4 KiB takes longer than what is done in them; so large
// pages are asked for. Not for memory that subjects see: its pages are part of what is measured.
// Internal.
#pragma once

#include <cstddef>
#include <vector>

namespace assay {

// Asks for large pages where the range is long enough for some. Before the first touch. A system
// that has none, or does not want to, gives ordinary ones.
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

// `count` elements of 0.
template <typename T>
std::vector<T> large_vector(std::size_t count) {
  std::vector<T> made;
  made.reserve(count);
  prefer_large_pages(made.data(), count * sizeof(T));
  made.resize(count);
  return made;
}

// A copy of [first, last).
template <typename T>
std::vector<T> large_copy(const T* first, const T* last) {
  std::vector<T> made;
  const auto count = static_cast<std::size_t>(last - first);
  made.reserve(count);
  prefer_large_pages(made.data(), count * sizeof(T));
  made.assign(first, last);
  return made;
}

}  // namespace assay
