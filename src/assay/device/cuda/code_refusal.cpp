// SPDX-License-Identifier: MIT
#include "assay/device/cuda/code_refusal.hpp"

#include <algorithm>

#include "assay/device/device.hpp"

namespace assay::device::cuda {
namespace {

struct Refusal {
  CUresult result;
  std::string_view what;
  // As the driver and the runtime name it, and the runtime's text.
  std::string_view names[3];
};

constexpr Refusal refusals[] = {
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     "its PTX is of a newer version than the driver takes",
     {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cudaErrorUnsupportedPtxVersion",
      "compiled with an unsupported toolchain"}},
    {CUDA_ERROR_NO_BINARY_FOR_GPU,
     "it holds neither machine code for this device nor PTX that could be compiled for it",
     {"CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice",
      "no kernel image is available for execution on the device"}},
    {CUDA_ERROR_INVALID_PTX,
     "its PTX cannot be compiled by the driver",
     {"CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "PTX JIT compilation failed"}},
};

const Refusal* refusal_of(CUresult result) noexcept {
  for (const Refusal& each : refusals) {
    if (each.result == result) return &each;
  }
  return nullptr;
}

}  // namespace

bool refuses_code(CUresult result) noexcept { return refusal_of(result) != nullptr; }

Reading<std::string> ptx_version_in(std::string_view ptx) {
  constexpr std::string_view directive = ".version";
  constexpr std::string_view blanks = " \t";
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (!line.starts_with(directive)) continue;
    line.remove_prefix(directive.size());
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == std::string_view::npos || begin == 0) continue;
    line.remove_prefix(begin);
    line = line.substr(0, line.find_first_not_of("0123456789."));
    if (!line.empty()) return std::string(line);
  }
  return Missing{"not-in-ptx", "the PTX does not say its version"};
}

OfferedCode own_code(std::string_view ptx) {
  return {ptx_version_in(ptx),
          "Assay's own kernels are for devices of compute capability 7.0 and later; for such a "
          "device install a newer driver"};
}

OfferedCode linked_code(const std::string& architecture) {
  return {
      Missing{"not-at-hand", "cuobjdump -ptx shows it, as .version"},
      "Compile machine code for this device (nvcc -arch=" + architecture +
          "), install a newer driver, or compile with a toolkit of the driver's CUDA version or "
          "an older one"};
}

std::string refusal_text(const Driver& driver, CUresult result, const OfferedCode& code) {
  const Refusal* refusal = refusal_of(result);
  ASSAY_EXPECTS(refusal != nullptr);
  return "the driver does not take the code: " + std::string(refusal->what) + ". The code is " +
         (code.ptx_version ? "PTX ISA " + *code.ptx_version
                           : "of a PTX ISA version that is not known here (" +
                                 code.ptx_version.missing().detail + ")") +
         ", the driver serves CUDA up to " + version_text(driver.version) + ". " + code.advice;
}

void check_code(const Driver& driver, CUresult result, const char* what, const OfferedCode& code) {
  if (!refuses_code(result)) return driver.check(result, what);
  throw CodeRefused(std::string(what) + ": " + driver.describe(result) + "; " +
                        refusal_text(driver, result, code),
                    result);
}

CUresult refusal_in(std::string_view message, long native_code) noexcept {
  for (const Refusal& each : refusals) {
    if (native_code == static_cast<long>(each.result)) return each.result;
    for (const std::string_view name : each.names) {
      if (message.find(name) != std::string_view::npos) return each.result;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace assay::device::cuda
