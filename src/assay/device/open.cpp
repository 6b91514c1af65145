// SPDX-License-Identifier: MIT
#include <string_view>

#include "assay/base/error.hpp"
#include "assay/device/cpu/cpu.hpp"
#include "assay/device/device.hpp"
#include "assay/device/fake/fake.hpp"

namespace assay::device {

std::unique_ptr<Device> open(const std::string& id, [[maybe_unused]] const Use& use) {
  constexpr std::string_view fake = "fake:";
  if (id == "cpu") return std::make_unique<Cpu>();
  if (id.compare(0, fake.size(), fake) == 0) {
    return std::make_unique<Fake>(read_script(id.substr(fake.size())));
  }
  throw Error(ErrorKind::device,
              "cannot open the device '" + id + "': this build knows 'cpu' and 'fake:SCRIPT.json'");
}

}  // namespace assay::device
