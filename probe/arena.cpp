// SPDX-License-Identifier: MIT
#include "arena.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "assay/base/error.hpp"
#include "ceiling_kernels.hpp"

namespace assay::probe {
namespace {

constexpr std::size_t kPad = 17 * kAlignment;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

constexpr std::size_t up_to(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

Arena::Arena(std::size_t threads, std::size_t most_bytes, Pages pages)
    : part_bytes_(up_to(3 * (up_to(most_bytes, kAlignment) + kPad), kLargePage)),
      mapped_bytes_((threads + 1) * part_bytes_ + kLargePage) {
  void* mapped = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw Error(ErrorKind::device,
                "no room for " + std::to_string(mapped_bytes_) + " bytes: " + std::strerror(errno),
                errno);
  }
  data_ = static_cast<std::byte*>(mapped);
  // Where it is refused, pages are small.
  if (pages == Pages::large) madvise(mapped, mapped_bytes_, MADV_HUGEPAGE);
}

Arena::~Arena() { munmap(data_, mapped_bytes_); }

Arena::Arrays Arena::arrays(std::size_t thread, std::size_t bytes) const {
  const auto begin = up_to(reinterpret_cast<std::size_t>(data_), kLargePage) -
                     reinterpret_cast<std::size_t>(data_);
  std::byte* a = data_ + begin + thread * part_bytes_;
  const std::size_t step = up_to(bytes, kAlignment) + kPad;
  const auto at = [&](std::size_t i) { return reinterpret_cast<double*>(a + i * step); };
  return {at(0), at(1), at(2)};
}

}  // namespace assay::probe
