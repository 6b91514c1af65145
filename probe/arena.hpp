// SPDX-License-Identifier: MIT
//
// Arena: the arrays of the ceilings' kernels: a part for each thread, whose pages it touches first,
// so that they lie in the memory next to it, and in large pages where the kernel gives them.
#pragma once

#include <cstddef>

namespace assay::probe {

class Arena {
 public:
  struct Arrays {
    double* a;
    double* b;
    double* c;
  };

  enum class Pages { large, as_they_come };

  // Three arrays of so many bytes at most for each thread. Throws Error{device} without room.
  Arena(std::size_t threads, std::size_t most_bytes, Pages pages = Pages::large);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Of that thread, when each has `bytes`. They begin at different distances from a page: on many
  // processors a load waits for a store whose last twelve bits of the address are the same.
  Arrays arrays(std::size_t thread, std::size_t bytes) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t part_bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace assay::probe
