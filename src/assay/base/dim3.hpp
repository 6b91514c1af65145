// SPDX-License-Identifier: MIT
//
// Dim3: how many blocks a grid has, or threads a block, in three directions; as CUDA's dim3, which
// is not used so that no header of CUDA is needed.
#pragma once

#include <cstdint>

namespace assay {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  constexpr std::int64_t count() const noexcept {
    return static_cast<std::int64_t>(x) * static_cast<std::int64_t>(y) *
           static_cast<std::int64_t>(z);
  }
};

}  // namespace assay
