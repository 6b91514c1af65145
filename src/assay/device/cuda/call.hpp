// SPDX-License-Identifier: MIT
//
// Call: Assay's own work as an invocation, for floors, ceilings and canaries. Internal.
#pragma once

#include <cstdint>
#include <utility>

#include "assay/device/device.hpp"

namespace assay::device::cuda {

// Calls f() once an iteration.
template <typename F>
class Call final : public Invocation {
 public:
  explicit Call(F f) : f_(std::move(f)) {}
  void run(std::int64_t iterations) override {
    for (; iterations > 0; --iterations) f_();
  }

 private:
  F f_;
};

}  // namespace assay::device::cuda
