// SPDX-License-Identifier: MIT
#include "assay/device/host_memory.hpp"

#include <cstdlib>

#include "assay/base/error.hpp"

namespace assay::device {

Allocation allocate_host(std::size_t bytes) {
  constexpr std::size_t page_bytes = 4096;
  const std::size_t rounded = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* data = std::aligned_alloc(page_bytes, rounded == 0 ? page_bytes : rounded);
  if (data == nullptr) {
    throw Error(ErrorKind::device, "cannot allocate " + std::to_string(bytes) +
                                       " bytes: the machine has no memory left for this case; "
                                       "measure a smaller one");
  }
  return Allocation(data, bytes, [](void* memory) { std::free(memory); });
}

}  // namespace assay::device
