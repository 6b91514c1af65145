// SPDX-License-Identifier: MIT
#include "assay/base/large_memory.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace assay {

void prefer_large_pages(void* data, std::size_t bytes) noexcept {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  // Below that the saving is not worth a call.
  if (data == nullptr || bytes < 2 * page) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): rounded to a boundary
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace assay
