// SPDX-License-Identifier: MIT
#include "assay/device/cuda/driver.hpp"

#include <algorithm>
#include <iterator>

#include "assay/device/cuda/library.hpp"
#include "assay/device/device.hpp"

#define ASSAY_CUDA_TEXT_(x) #x
// Expands the header's macros first: the name with its version is what is looked up.
#define ASSAY_CUDA_SYMBOL_(x) ASSAY_CUDA_TEXT_(x)

namespace assay::device::cuda {

Reading<Driver> load_driver(const std::vector<std::string>& names) {
  const Reading<Library> library = Library::open(names);
  if (!library) {
    return Missing{"no-driver", "the CUDA driver cannot be opened: " + library.missing().detail};
  }
  Driver driver;
  driver.path = library->path();
  std::string lacking;
#define ASSAY_CUDA_FIND_(function)                                                              \
  driver.function =                                                                             \
      reinterpret_cast<decltype(driver.function)>(library->find(ASSAY_CUDA_SYMBOL_(function))); \
  if (driver.function == nullptr && lacking.empty()) lacking = ASSAY_CUDA_SYMBOL_(function);
  ASSAY_CUDA_DRIVER_FUNCTIONS(ASSAY_CUDA_FIND_)
#undef ASSAY_CUDA_FIND_
  if (!lacking.empty()) {
    return Missing{"driver-too-old", "the CUDA driver " + driver.path + " has no " + lacking +
                                         ": Assay needs a driver of CUDA 12.0 or later"};
  }
  driver.profiler_start =
      reinterpret_cast<decltype(driver.profiler_start)>(library->find("cuProfilerStart"));
  driver.profiler_stop =
      reinterpret_cast<decltype(driver.profiler_stop)>(library->find("cuProfilerStop"));
  const CUresult result = driver.cuInit(0);
  if (result == CUDA_ERROR_STUB_LIBRARY) {
    return Missing{"stub-driver", driver.path +
                                      " is the toolkit's stand-in for linking, not a driver: take "
                                      "its folder out of LD_LIBRARY_PATH"};
  }
  if (result == CUDA_ERROR_NO_DEVICE) {
    return Missing{"no-device",
                   "the CUDA driver " + driver.path +
                       " sees no device; CUDA_VISIBLE_DEVICES may hide those that are there"};
  }
  if (result != CUDA_SUCCESS) {
    return Missing{"driver-failed", "cuInit: " + driver.describe(result)};
  }
  if (driver.cuDriverGetVersion(&driver.version) != CUDA_SUCCESS) driver.version = 0;
  if (driver.version < 12000) {
    return Missing{"driver-too-old", "the CUDA driver " + driver.path + " serves CUDA " +
                                         version_text(driver.version) +
                                         ": Assay needs 12.0 or later"};
  }
  return driver;
}

const Reading<Driver>& driver() {
  static const Reading<Driver> loaded = load_driver({"libcuda.so.1"});
  return loaded;
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "";
  std::string description = std::string(name) + " (" + std::to_string(result) + ")";
  if (*text != '\0') description += ": " + std::string(text);
  return description;
}

void Driver::check(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  const std::string message = std::string(what) + ": " + describe(result);
  if (is_fatal(result)) throw DeviceLost(message, result);
  throw Error(ErrorKind::device, message, result);
}

bool is_fatal(CUresult result) noexcept {
  // By number: older headers lack some of the names. ECC, MPS and NVLink failures, contained
  // errors, illegal addresses, time-outs, asserts, stack, instruction, alignment, address space and
  // program counter errors, launch failures, tensor memory leaks, lost devices; and the context
  // that is gone after any of them.
  constexpr int fatal[] = {46,  214, 220, 226, 700, 702, 709, 710, 714, 715,
                           716, 717, 718, 719, 721, 805, 806, 810, 911};
  return std::find(std::begin(fatal), std::end(fatal), static_cast<int>(result)) != std::end(fatal);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace assay::device::cuda
