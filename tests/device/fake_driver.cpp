// SPDX-License-Identifier: MIT
//
// A library with the driver's functions that serves nobody, for the tests of how a driver is found,
// and one that captures graphs and loads code as it is told. Which is chosen at compile time, since
// it is loaded as a driver would be.
#include "fake_driver.hpp"

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

#if !defined(FAKE_DRIVER_WORKING)
constexpr int of_version = 11080;
#endif

// NOLINTBEGIN(performance-no-int-to-ptr): what is called with may be a number or an address
#if defined(FAKE_DRIVER_WORKING)
using assay::device::cuda::FakeWork;

FakeWork work;
std::uintptr_t handles = 0;

template <typename T>
T handle(std::uintptr_t argument) {
  return reinterpret_cast<T>(argument);
}

// Work that is put on a stream: a capture takes what is for its own, the rest runs at once.
int put(std::uintptr_t stream, CUgraphNodeType type) {
  if (work.capturing != nullptr && work.capturing == handle<CUstream>(stream)) {
    work.captured.push_back(type);
  } else {
    ++work.at_once;
  }
  return CUDA_SUCCESS;
}

// What would not be replayed: the capture is lost, which shows when it is ended.
int forbidden_in_capture(CUresult otherwise) {
  if (work.capturing == nullptr) return otherwise;
  work.is_invalid = true;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

int end_capture(std::uintptr_t stream, CUgraph* graph) {
  if (work.capturing != handle<CUstream>(stream)) return CUDA_ERROR_ILLEGAL_STATE;
  if (!work.never_leaves_capture) work.capturing = nullptr;
  *graph = nullptr;
  if (work.of_end_of_capture != CUDA_SUCCESS) return work.of_end_of_capture;
  if (work.is_invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = handle<CUgraph>(++handles);
  work.graphs[*graph] = work.captured;
  return CUDA_SUCCESS;
}

int answer_of_nodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  const auto& types = work.graphs.at(graph);
  *count = types.size();
  if (nodes == nullptr) return CUDA_SUCCESS;
  // A node is its type, but never null.
  for (const CUgraphNodeType type : types) *nodes++ = handle<CUgraphNode>(std::uintptr_t{type} + 1);
  return CUDA_SUCCESS;
}

int answer_of_work(std::string_view function, std::uintptr_t first, std::uintptr_t second,
                   std::uintptr_t third, std::uintptr_t fourth) {
  if (function == "cuDriverGetVersion") {
    *handle<int*>(first) = work.version;
    return CUDA_SUCCESS;
  }
  if (function == "cuModuleLoadData") return work.of_module_load;
  if (function == "cuMemsetD32Async") return put(fourth, CU_GRAPH_NODE_TYPE_MEMSET);
  if (function == "cuMemcpyDtoDAsync") return put(fourth, CU_GRAPH_NODE_TYPE_MEMCPY);
  // Stands for whatever of a capture is no work.
  if (function == "cuEventRecord") return put(second, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  if (function == "cuMemAlloc") return forbidden_in_capture(CUDA_SUCCESS);
  if (function == "cuStreamSynchronize") return forbidden_in_capture(work.of_synchronize);
  if (function == "cuStreamBeginCapture") {
    if (work.capturing != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    work.capturing = handle<CUstream>(first);
    work.mode = static_cast<CUstreamCaptureMode>(second);
    work.is_invalid = false;
    work.captured.clear();
    ++work.captures;
    return CUDA_SUCCESS;
  }
  if (function == "cuStreamEndCapture") return end_capture(first, handle<CUgraph*>(second));
  if (function == "cuStreamIsCapturing") {
    *handle<CUstreamCaptureStatus*>(second) = work.capturing == nullptr
                                                  ? CU_STREAM_CAPTURE_STATUS_NONE
                                                  : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphGetNodes") {
    return answer_of_nodes(handle<CUgraph>(first), handle<CUgraphNode*>(second),
                           handle<std::size_t*>(third));
  }
  if (function == "cuGraphNodeGetType") {
    *handle<CUgraphNodeType*>(second) = static_cast<CUgraphNodeType>(first - 1);
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphInstantiate") {
    if (work.of_instantiate != CUDA_SUCCESS) return work.of_instantiate;
    const auto executable = handle<CUgraphExec>(++handles);
    work.executables[executable] = work.graphs.at(handle<CUgraph>(second)).size();
    *handle<CUgraphExec*>(first) = executable;
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphUpload") {
    work.uploaded.insert(handle<CUgraphExec>(first));
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphLaunch") {
    const std::size_t nodes = work.executables.at(handle<CUgraphExec>(first));
    work.launches.push_back(nodes);
    work.clock_ns += work.launch_ns + static_cast<double>(nodes) * work.node_ns;
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphExecDestroy") {
    work.executables.erase(handle<CUgraphExec>(first));
    return CUDA_SUCCESS;
  }
  if (function == "cuGraphDestroy") {
    work.graphs.erase(handle<CUgraph>(first));
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}
#endif

// The first four arguments of whatever is called, as integers; fewer where it has fewer.
[[maybe_unused]] int answer(std::string_view function, std::uintptr_t first, std::uintptr_t second,
                            [[maybe_unused]] std::uintptr_t third,
                            [[maybe_unused]] std::uintptr_t fourth) {
  if (function == "cuInit") return of_init;
  if (function == "cuGetErrorName") {
    *reinterpret_cast<const char**>(second) = "FAKE_ERROR";
    return CUDA_SUCCESS;
  }
  if (function == "cuGetErrorString") {
    *reinterpret_cast<const char**>(second) = "as the test wants it";
    return CUDA_SUCCESS;
  }
#if defined(FAKE_DRIVER_WORKING)
  return answer_of_work(function, first, second, third, fourth);
#else
  if (function == "cuDriverGetVersion") {
    *reinterpret_cast<int*>(first) = of_version;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_SUPPORTED;
#endif
}
// NOLINTEND(performance-no-int-to-ptr)

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
#define FAKE_FUNCTION_(function)                                                         \
  extern "C" int fake_##function(std::uintptr_t, std::uintptr_t, std::uintptr_t,         \
                                 std::uintptr_t) __asm__(FAKE_SYMBOL_(function));        \
  int fake_##function(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third, \
                      std::uintptr_t fourth) {                                           \
    return answer(#function, first, second, third, fourth);                              \
  }
FAKE_FUNCTIONS_(FAKE_FUNCTION_)

#if defined(FAKE_DRIVER_WORKING)
extern "C" FakeWork* fake_work() { return &work; }
#endif
