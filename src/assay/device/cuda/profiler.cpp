// SPDX-License-Identifier: MIT
#include "assay/device/cuda/profiler.hpp"

#include <cupti.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/device/cuda/code_refusal.hpp"
#include "assay/device/cuda/library.hpp"
#include "assay/device/cuda/managed_memory.hpp"

#define ASSAY_CUPTI_FUNCTIONS(X)            \
  X(cuptiGetVersion)                        \
  X(cuptiGetResultString)                   \
  X(cuptiActivityRegisterCallbacks)         \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivityEnable)                    \
  X(cuptiActivityFlushAll)                  \
  X(cuptiActivityGetNextRecord)             \
  X(cuptiActivityGetNumDroppedRecords)      \
  X(cuptiGetStreamIdEx)                     \
  X(cuptiSubscribe)                         \
  X(cuptiEnableCallback)

namespace assay::device::cuda {
namespace {

struct Functions {
#define ASSAY_CUPTI_MEMBER_(function) decltype(&::function) function = nullptr;
  ASSAY_CUPTI_FUNCTIONS(ASSAY_CUPTI_MEMBER_)
#undef ASSAY_CUPTI_MEMBER_
};

// CUPTI's callbacks carry no argument of ours, so what they write to is one for the process.
Functions functions;
std::mutex activities_guard;
std::vector<Activity> activities;
bool has_unfinished = false;
bool has_lost = false;
std::uint64_t began_ns = 0;  // what is recorded from here on counts
DriverCalls
    driver_calls;  // by the thread that measures; others' are counted too, without a promise

// Never destroyed: the driver is called, and so are we, until the very end of the process.
ManagedMemory& managed_memory = *new ManagedMemory;
std::atomic<CUresult> refused_result{CUDA_SUCCESS};

constexpr std::size_t buffer_bytes = std::size_t{1} << 20U;
constexpr std::size_t buffer_alignment = 8;

std::string text_of(CUptiResult result) {
  const char* text = nullptr;
  if (functions.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    text = "unknown error";
  }
  return std::string(text) + " (" + std::to_string(result) + ")";
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // as many as fit
}

std::int64_t product(std::int32_t x, std::int32_t y, std::int32_t z) {
  return std::int64_t{x} * y * z;
}

template <typename Record>
void keep(const Record& record, Activity::Kind kind, const char* name, std::int64_t grid,
          std::int64_t threads) {
  if (record.start == 0 || record.end == 0) {
    has_unfinished = true;
    return;
  }
  activities.push_back({kind, name == nullptr ? "" : name, record.start, record.end,
                        record.streamId, grid, threads});
}

void keep(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      CUpti_ActivityKernel10 kernel;
      std::memcpy(&kernel, &record, sizeof kernel);
      keep(kernel, Activity::Kind::kernel, kernel.name,
           product(kernel.gridX, kernel.gridY, kernel.gridZ),
           product(kernel.blockX, kernel.blockY, kernel.blockZ));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      CUpti_ActivityMemcpy6 copy;
      std::memcpy(&copy, &record, sizeof copy);
      keep(copy, Activity::Kind::copy, "[memcpy]", 0, 0);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      CUpti_ActivityMemset4 fill;
      std::memcpy(&fill, &record, sizeof fill);
      keep(fill, Activity::Kind::fill, "[memset]", 0, 0);
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  {
    const std::lock_guard lock(activities_guard);
    CUpti_Activity* record = nullptr;
    while (functions.cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
      keep(*record);
    }
    std::size_t dropped = 0;
    if (functions.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
        dropped > 0) {
      has_lost = true;
    }
  }
  std::free(buffer);
}

std::uint64_t CUPTIAPI now_ns() { return static_cast<std::uint64_t>(monotonic_ns()); }

struct Watched {
  CUpti_CallbackId id;
  std::int64_t DriverCalls::*count;  // nullptr: only whether code was refused
};

constexpr Watched watched[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunch, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, &DriverCalls::launches},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuMemCreate, &DriverCalls::allocations},
    {CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, &DriverCalls::synchronisations},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, &DriverCalls::synchronisations},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz, &DriverCalls::synchronisations},
    {CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, &DriverCalls::synchronisations},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, &DriverCalls::module_loads},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, &DriverCalls::module_loads},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, &DriverCalls::module_loads},
    {CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary, &DriverCalls::module_loads},
    {CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, &DriverCalls::module_loads},
    {CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile, &DriverCalls::module_loads},
    // Code that is loaded when it is first needed is refused here.
    {CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, nullptr},
    {CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel, nullptr},
    {CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule, nullptr},
    {CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction, nullptr},
    {CUPTI_DRIVER_TRACE_CBID_cuFuncLoad, nullptr},
};

void CUPTIAPI on_driver_call(void*, CUpti_CallbackDomain, CUpti_CallbackId id,
                             const void* raw_data) {
  const auto* data = static_cast<const CUpti_CallbackData*>(raw_data);
  if (data->callbackSite != CUPTI_API_EXIT) return;
  note_call(managed_memory, id, *data);
  for (const Watched& each : watched) {
    if (each.id != id) continue;
    if (each.count != nullptr) ++(driver_calls.*each.count);
    const auto* result = static_cast<const CUresult*>(data->functionReturnValue);
    const bool is_launch = each.count == &DriverCalls::launches;
    if (result == nullptr) return;
    if (*result == CUDA_SUCCESS) {
      // Whoever was refused one code has found another.
      if (is_launch) refused_result = CUDA_SUCCESS;
      return;
    }
    if (is_launch) ++driver_calls.failed_launches;
    CUresult none = CUDA_SUCCESS;
    if (refuses_code(*result)) refused_result.compare_exchange_strong(none, *result);
    return;
  }
}

std::vector<std::string> library_names() {
  const std::string soname = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
  std::vector<std::string> names;
  if (const char* given = std::getenv("ASSAY_CUPTI_LIBRARY")) names.emplace_back(given);
  names.push_back(soname);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* home = std::getenv(variable)) {
      names.push_back(std::string(home) + "/lib64/" + soname);
      names.push_back(std::string(home) + "/extras/CUPTI/lib64/" + soname);
    }
  }
  names.push_back("/usr/local/cuda/lib64/" + soname);
  names.push_back("/usr/local/cuda/extras/CUPTI/lib64/" + soname);
  return names;
}

Missing refused(const char* what, CUptiResult result) {
  const bool is_busy = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ||
                       result == CUPTI_ERROR_HARDWARE_BUSY;
  return Missing{is_busy ? "busy" : "refused", std::string(what) + ": " + text_of(result)};
}

// Whether driver calls are watched from now on.
Reading<bool> watch_calls() {
  CUpti_SubscriberHandle subscriber = nullptr;
  CUptiResult result = functions.cuptiSubscribe(&subscriber, on_driver_call, nullptr);
  if (result != CUPTI_SUCCESS) return refused("cuptiSubscribe", result);
  for (const Watched& each : watched) {
    result = functions.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, each.id);
    if (result != CUPTI_SUCCESS) return refused("cuptiEnableCallback", result);
  }
  return true;
}

}  // namespace

struct ProfilerStart {
  static Reading<Profiler*> start() {
    const Reading<Library> library = Library::open(library_names());
    if (!library) {
      return Missing{"not-found", "CUPTI cannot be opened: " + library.missing().detail};
    }
#define ASSAY_CUPTI_FIND_(function)                                                              \
  functions.function = reinterpret_cast<decltype(functions.function)>(library->find(#function)); \
  if (functions.function == nullptr) {                                                           \
    return Missing{"version", library->path() + " has no " #function};                           \
  }
    ASSAY_CUPTI_FUNCTIONS(ASSAY_CUPTI_FIND_)
#undef ASSAY_CUPTI_FIND_
    std::uint32_t version = 0;
    CUptiResult result = functions.cuptiGetVersion(&version);
    if (result != CUPTI_SUCCESS) return refused("cuptiGetVersion", result);
    // Another major version lays its records out in another way.
    if (version / 10000 != static_cast<std::uint32_t>(expected_profiler_version()) / 10000) {
      return Missing{"version", library->path() + " is CUPTI " + std::to_string(version) +
                                    ", and this build of Assay reads the records of " +
                                    std::to_string(expected_profiler_version())};
    }
    // Once a process and before anything is enabled: each later registration corrupts a record.
    result = functions.cuptiActivityRegisterTimestampCallback(now_ns);
    if (result != CUPTI_SUCCESS) return refused("cuptiActivityRegisterTimestampCallback", result);
    result = functions.cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    if (result != CUPTI_SUCCESS) return refused("cuptiActivityRegisterCallbacks", result);
    for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                            CUPTI_ACTIVITY_KIND_MEMSET}) {
      result = functions.cuptiActivityEnable(kind);
      if (result != CUPTI_SUCCESS) return refused("cuptiActivityEnable", result);
    }
    static Profiler profiler;
    profiler.version_ = std::to_string(version / 10000) + "." +
                        std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
    profiler.watches_calls_ = watch_calls();
    return &profiler;
  }
};

const Reading<Profiler*>& Profiler::start() {
  static const Reading<Profiler*> started = ProfilerStart::start();
  return started;
}

// What is left in CUPTI's buffers from before is told apart by its time: emptying them here as well
// would cost each sample as much again as end() does.
void Profiler::begin() {
  const std::lock_guard lock(activities_guard);
  activities.clear();
  has_unfinished = has_lost = false;
  driver_calls = {};
  began_ns = now_ns();
}

DriverCalls Profiler::calls() const { return driver_calls; }

void Profiler::own_managed_memory(const std::string& owner) { managed_memory.own(owner); }

void Profiler::begin_managed_peak() { managed_memory.begin_peak(); }

Reading<std::int64_t> Profiler::managed_bytes_of(const std::string& owner) const {
  return watches_calls_.transform([&](bool) { return managed_memory.most_of(owner); });
}

CUresult Profiler::take_refusal() { return refused_result.exchange(CUDA_SUCCESS); }

Profiler::Recorded Profiler::end(const DriverCalls& calls) {
  const CUptiResult result = functions.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (result != CUPTI_SUCCESS) {
    throw Error(ErrorKind::device, "cuptiActivityFlushAll: " + text_of(result), result);
  }
  const std::lock_guard lock(activities_guard);
  if (has_lost) {
    throw Error(ErrorKind::device, "CUPTI lost records: too much work in one interval");
  }
  std::erase_if(activities, [](const Activity& one) { return one.start_ns < began_ns; });
  Recorded recorded{std::move(activities), calls, has_unfinished};
  activities.clear();
  std::stable_sort(recorded.activities.begin(), recorded.activities.end(),
                   [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
  return recorded;
}

std::uint32_t Profiler::number_of(CUcontext context, CUstream stream) const {
  std::uint32_t number = 0;
  const CUptiResult result = functions.cuptiGetStreamIdEx(context, stream, 0, &number);
  if (result != CUPTI_SUCCESS) {
    throw Error(ErrorKind::device, "cuptiGetStreamIdEx: " + text_of(result), result);
  }
  return number;
}

int expected_profiler_version() { return CUPTI_API_VERSION; }

}  // namespace assay::device::cuda
