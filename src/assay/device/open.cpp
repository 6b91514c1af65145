// SPDX-License-Identifier: MIT
#include <charconv>
#include <string_view>

#include "assay/base/error.hpp"
#include "assay/device/cpu/cpu.hpp"
#include "assay/device/device.hpp"
#include "assay/device/fake/fake.hpp"

#if defined(ASSAY_HAS_CUDA)
#include "assay/device/cuda/cuda.hpp"
#endif

namespace assay::device {
namespace {

std::unique_ptr<Device> open_cuda(const std::string& id, [[maybe_unused]] const Use& use) {
  int ordinal = 0;
  if (id != "cuda") {
    const char* begin = id.data() + 5;
    const char* end = id.data() + id.size();
    const auto parsed = std::from_chars(begin, end, ordinal);
    if (parsed.ec != std::errc() || parsed.ptr != end || ordinal < 0) {
      throw Error(ErrorKind::device, "cannot open the device '" + id +
                                         "': expected 'cuda', or 'cuda:N' with the number of a "
                                         "device, counted from 0");
    }
  }
#if defined(ASSAY_HAS_CUDA)
  return std::make_unique<cuda::Cuda>(ordinal, use);
#else
  throw Error(ErrorKind::device,
              "cannot open the device '" + id +
                  "': this program was built without CUDA's headers; build it where they are, or "
                  "name their place (CUDAToolkit_ROOT)");
#endif
}

}  // namespace

Startup Device::opening() const {
  Startup startup;
  startup[StartupPhase::driver] = startup[StartupPhase::context] =
      Missing{no_phase::no_driver, "this device needs none"};
  return startup;
}

std::unique_ptr<Device> open(const std::string& id, const Use& use) {
  constexpr std::string_view fake = "fake:";
  if (id == "cpu") return std::make_unique<Cpu>();
  if (id.compare(0, fake.size(), fake) == 0) {
    return std::make_unique<Fake>(read_script(id.substr(fake.size())), use);
  }
  if (id == "cuda" || id.compare(0, 5, "cuda:") == 0) return open_cuda(id, use);
  throw Error(ErrorKind::device, "cannot open the device '" + id +
                                     "': this version knows 'cpu', 'cuda', 'cuda:N' and "
                                     "'fake:SCRIPT.json'");
}

}  // namespace assay::device
