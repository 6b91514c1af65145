// SPDX-License-Identifier: MIT
//
// Driver: the functions of the CUDA driver, found at run time, and how its errors are told.
//
// cuda.h renames functions by macros (cuMemAlloc is cuMemAlloc_v2): the plain name in the library
// is the oldest ABI, with other types. Each member below is therefore declared by the header's own
// name, which the macro renames in the type, in the member and in the symbol that is looked up
// alike. Internal.
#pragma once

#include <cuda.h>

#include <string>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/base/reading.hpp"

// Every function that Assay calls; all of them are in the drivers of CUDA 12.0 and later.
#define ASSAY_CUDA_DRIVER_FUNCTIONS(X)           \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceTotalMem)                            \
  X(cuDeviceGetUuid)                             \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuCtxSynchronize)                            \
  X(cuCtxGetLimit)                               \
  X(cuCtxSetLimit)                               \
  X(cuCtxResetPersistingL2Cache)                 \
  X(cuMemGetInfo)                                \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemHostAlloc)                              \
  X(cuMemHostGetDevicePointer)                   \
  X(cuMemFreeHost)                               \
  X(cuMemcpyHtoD)                                \
  X(cuMemcpyDtoH)                                \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemcpyDtoD)                                \
  X(cuMemsetD32Async)                            \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamSynchronize)                         \
  X(cuStreamQuery)                               \
  X(cuStreamWaitValue32)                         \
  X(cuStreamBeginCapture)                        \
  X(cuStreamEndCapture)                          \
  X(cuStreamIsCapturing)                         \
  X(cuGraphGetNodes)                             \
  X(cuGraphNodeGetType)                          \
  X(cuGraphInstantiate)                          \
  X(cuGraphUpload)                               \
  X(cuGraphLaunch)                               \
  X(cuGraphExecDestroy)                          \
  X(cuGraphDestroy)                              \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventQuery)                                \
  X(cuEventSynchronize)                          \
  X(cuEventElapsedTime)                          \
  X(cuModuleLoadData)                            \
  X(cuModuleLoadDataEx)                          \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuModuleGetLoadingMode)                      \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuLaunchKernel)                              \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuDeviceGetGraphMemAttribute)                \
  X(cuDeviceGetDefaultMemPool)                   \
  X(cuMemPoolGetAttribute)                       \
  X(cuMemPoolSetAttribute)

namespace assay::device::cuda {

struct Driver {
#define ASSAY_CUDA_MEMBER_(function) decltype(&::function) function = nullptr;
  ASSAY_CUDA_DRIVER_FUNCTIONS(ASSAY_CUDA_MEMBER_)
#undef ASSAY_CUDA_MEMBER_

  // cuProfilerStart and cuProfilerStop: in every driver, but declared in a header that not every
  // installation has. nullptr where there are none.
  CUresult(CUDAAPI* profiler_start)() = nullptr;
  CUresult(CUDAAPI* profiler_stop)() = nullptr;

  int version = 0;   // 13000 for CUDA 13.0: the newest that this driver serves
  std::string path;  // of the library

  // "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
  std::string describe(CUresult result) const;
  // Throws DeviceLost if the result says that the process cannot go on, else Error{device}:
  // "WHAT: " and the description.
  void check(CUresult result, const char* what) const;
};

// Opens and initialises the driver, once a process. Missing: "no-driver" (no library),
// "stub-driver" (the toolkit's stand-in for linking), "driver-too-old" (and the first function that
// it lacks), "no-device", or "driver-failed" with what cuInit said. Never throws.
const Reading<Driver>& driver();

// The same from a library that is given by name, each time anew: for tests.
Reading<Driver> load_driver(const std::vector<std::string>& names);

// Errors after which nothing of the process's work on the device can be trusted or continued.
bool is_fatal(CUresult result) noexcept;

// "13.0" of 13000.
std::string version_text(int version);

}  // namespace assay::device::cuda
