// SPDX-License-Identifier: MIT
//
// A fake device from a script in the test itself.
#pragma once

#include <memory>
#include <string>

#include "assay/device/fake/fake.hpp"

namespace assay::measure {

inline device::Fake fake_of(const std::string& members = R"("call_ns": 1000)") {
  return device::Fake(device::parse_script(R"({"assay_fake": 1, )" + members + "}", "script"));
}

// The same with memory that the host must not touch but through copies, as far as the worker can
// tell.
class Remote final : public device::Fake {
 public:
  using Fake::Fake;
  bool is_host_memory() const override { return false; }
};

inline std::unique_ptr<device::Fake> device_of(bool remote) {
  const device::Script script = device::parse_script(R"({"assay_fake": 1})", "script");
  if (remote) return std::make_unique<Remote>(script);
  return std::make_unique<device::Fake>(script);
}

}  // namespace assay::measure
