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

// With memory of its own where it is remote: the host reaches it by copies, or crashes.
inline std::unique_ptr<device::Fake> device_of(bool remote) {
  const std::string memory = remote ? R"(, "has_own_memory": true)" : "";
  return std::make_unique<device::Fake>(
      device::parse_script(R"({"assay_fake": 1)" + memory + "}", "script"));
}

// While a subject runs, so that what the test does in its place reaches the device's memory.
class Running {
 public:
  explicit Running(device::Device& device) : device_(&device) {
    device::Occasion occasion;
    occasion.subject = "a-subject";
    device.begin(occasion);
  }
  ~Running() { device_->synchronize(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  device::Device* device_;
};

}  // namespace assay::measure
