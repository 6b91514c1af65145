// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cycles.hpp"

#include <utility>

namespace assay::device {

Reading<Cycles::Count> Cycles::read() const {
  const auto read = counter_.read();
  if (!read) return read.missing();
  if (!std::in_range<std::int64_t>(read->count) || !std::in_range<std::int64_t>(read->running_ns)) {
    return Missing{"not-understood", "the counter of cycles is beyond every time"};
  }
  return Count{static_cast<std::int64_t>(read->count), static_cast<std::int64_t>(read->running_ns)};
}

}  // namespace assay::device
