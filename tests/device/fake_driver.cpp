// SPDX-License-Identifier: MIT
//
// A library with the driver's functions that serves nobody, for the tests of how a driver is found.
// How it disappoints is chosen at compile time, since it is loaded as a driver would be.
#include <cstdint>
#include <string_view>

#include "assay/device/cuda/driver.hpp"

namespace {

#if defined(FAKE_DRIVER_DEVICELESS)
constexpr CUresult of_init = CUDA_ERROR_NO_DEVICE;
#elif defined(FAKE_DRIVER_FAILING)
constexpr CUresult of_init = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
#else
constexpr CUresult of_init = CUDA_SUCCESS;
#endif

// The first two arguments of whatever is called, as integers.
[[maybe_unused]] int answer(std::string_view function, std::uintptr_t first,
                            std::uintptr_t second) {
  // NOLINTBEGIN(performance-no-int-to-ptr): the arguments may be either
  if (function == "cuInit") return of_init;
  if (function == "cuDriverGetVersion") {
    *reinterpret_cast<int*>(first) = 11080;
    return CUDA_SUCCESS;
  }
  if (function == "cuGetErrorName") {
    *reinterpret_cast<const char**>(second) = "FAKE_ERROR";
    return CUDA_SUCCESS;
  }
  if (function == "cuGetErrorString") {
    *reinterpret_cast<const char**>(second) = "as the test wants it";
    return CUDA_SUCCESS;
  }
  // NOLINTEND(performance-no-int-to-ptr)
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace

#if defined(FAKE_DRIVER_LACKING)
// As a driver of another age: it has no more than this one.
#define FAKE_FUNCTIONS_(X) X(cuInit)
#else
#define FAKE_FUNCTIONS_(X) ASSAY_CUDA_DRIVER_FUNCTIONS(X)
#endif

// Another name in C++ than in the library, so that the header's declarations do not contradict. Two
// steps: the library's name is the one with its version, which the header's macros give.
#define FAKE_TEXT_(x) #x
#define FAKE_SYMBOL_(x) FAKE_TEXT_(x)
#define FAKE_FUNCTION_(function)                                                                  \
  extern "C" int fake_##function(std::uintptr_t, std::uintptr_t) __asm__(FAKE_SYMBOL_(function)); \
  int fake_##function(std::uintptr_t first, std::uintptr_t second) {                              \
    return answer(#function, first, second);                                                      \
  }
FAKE_FUNCTIONS_(FAKE_FUNCTION_)
