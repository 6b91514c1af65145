// SPDX-License-Identifier: MIT
//
// A fake device from a script in the test itself.
#pragma once

#include <string>

#include "assay/device/fake/fake.hpp"

namespace assay::measure {

inline device::Fake fake_of(const std::string& members = R"("call_ns": 1000)") {
  return device::Fake(device::parse_script(R"({"assay_fake": 1, )" + members + "}", "script"));
}

}  // namespace assay::measure
