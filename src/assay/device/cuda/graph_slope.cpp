// SPDX-License-Identifier: MIT
#include "assay/device/cuda/graph_slope.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "assay/base/time.hpp"
#include "assay/device/cuda/spans.hpp"

namespace assay::device::cuda {
namespace {

// An executable graph takes memory and time for each node. Of longer samples several launches make
// one; each adds the scatter of a pair of events, which is no matter beside a thousand nodes, of
// about a microsecond each at the least.
constexpr std::int64_t most_nodes = 1024;

constexpr const char* what_to_do =
    "; calls that wait for the device, allocate or use another queue than the context's "
    "stream() cannot be replayed: measure them by timer = \"cupti\" or \"events\"";

bool is_work(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return true;
    default:
      return false;
  }
}

std::int64_t nodes_of(const Driver& driver, CUgraph graph) {
  std::size_t count = 0;
  driver.check(driver.cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes");
  std::vector<CUgraphNode> nodes(count);
  if (count > 0)
    driver.check(driver.cuGraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes");
  return std::count_if(nodes.begin(), nodes.end(), [&](CUgraphNode node) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    driver.check(driver.cuGraphNodeGetType(node, &type), "cuGraphNodeGetType");
    return is_work(type);
  });
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace

// A capture that has begun must be ended whatever happens: nothing runs on the stream before that.
// "Thread-local" forbids this thread what a graph would not replay, such as allocating, which
// "relaxed" would let through unseen; what other threads do is their own affair.
CUgraph GraphSlope::capture(Invocation& invocation, std::int64_t copies) {
  driver_->check(driver_->cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                 "cuStreamBeginCapture");
  std::exception_ptr own;
  bool is_lost = false;
  try {
    invocation.run(copies);
  } catch (const DeviceLost&) {
    own = std::current_exception();
    is_lost = true;
  } catch (...) {
    own = std::current_exception();
  }
  CUgraph graph = nullptr;
  const CUresult ended = driver_->cuStreamEndCapture(stream_, &graph);
  if (own != nullptr && graph != nullptr) driver_->cuGraphDestroy(graph);
  if (is_lost) std::rethrow_exception(own);
  if (ended == CUDA_SUCCESS && own == nullptr) return graph;
  std::string message = "the calls cannot be captured in a graph, as the timer 'graph' needs it";
  if (ended != CUDA_SUCCESS) {
    if (is_fatal(ended)) driver_->check(ended, "cuStreamEndCapture");
    expect_capture_is_over();
    message += ": cuStreamEndCapture: " + driver_->describe(ended);
  }
  // The first call, which was not captured, did not throw it.
  if (own != nullptr) message += "; the subject said: " + text_of(own);
  throw Error(ErrorKind::device, message + what_to_do, ended);
}

void GraphSlope::expect_capture_is_over() {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver_->cuStreamIsCapturing(stream_, &status);
  if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_NONE) return;
  throw DeviceLost(
      "the context's stream() cannot be taken out of a capture that failed: " +
          (result == CUDA_SUCCESS ? "it is still capturing" : driver_->describe(result)),
      result);
}

GraphSlope::Executable GraphSlope::make(Invocation& invocation, std::int64_t copies) {
  const Driver* driver = driver_;
  const auto destroy = [driver](CUgraph graph) { driver->cuGraphDestroy(graph); };
  const std::unique_ptr<std::remove_pointer_t<CUgraph>, decltype(destroy)> graph(
      capture(invocation, copies), destroy);
  const std::int64_t nodes = graph == nullptr ? 0 : nodes_of(*driver_, graph.get());
  if (nodes == 0) {
    throw Error(ErrorKind::device,
                "the subject did nothing on the device: no kernel, copy or fill was captured from "
                "the context's stream(); launch on it, or measure by timer = \"cupti\" or "
                "\"events\", or at the boundary call");
  }
  CUgraphExec executable = nullptr;
  const CUresult made = driver_->cuGraphInstantiate(&executable, graph.get(), 0);
  if (made != CUDA_SUCCESS) {
    if (is_fatal(made)) driver_->check(made, "cuGraphInstantiate");
    throw Error(ErrorKind::device,
                "the calls cannot be made into a graph, as the timer 'graph' needs it: "
                "cuGraphInstantiate: " +
                    driver_->describe(made) + what_to_do,
                made);
  }
  Executable made_graph(*driver_, executable, copies, nodes);
  driver_->check(driver_->cuGraphUpload(executable, stream_), "cuGraphUpload");
  driver_->check(driver_->cuGraphLaunch(executable, stream_), "cuGraphLaunch");
  driver_->check(driver_->cuStreamSynchronize(stream_), "cuStreamSynchronize");
  return made_graph;
}

const GraphSlope::Executable& GraphSlope::graph_of(Subject& subject, Invocation& invocation,
                                                   std::int64_t copies) {
  const auto found = subject.graphs.find(copies);
  if (found != subject.graphs.end()) return found->second;
  return subject.graphs.emplace(copies, make(invocation, copies)).first->second;
}

Measured GraphSlope::measure(const Place& place, Invocation& invocation, std::int64_t iterations,
                             const Launch& launch) {
  ASSAY_EXPECTS(iterations > 0);
  Subject& subject = subjects_[place];
  if (subject.graphs.empty()) {
    // The first call may load code or make what a library needs, neither of which can be captured.
    invocation.run(1);
    driver_->check(driver_->cuStreamSynchronize(stream_), "cuStreamSynchronize");
  }
  const Executable& base = graph_of(subject, invocation, base_copies);
  if (subject.most_iterations == 0) {
    const std::int64_t nodes_a_call = (base.nodes() + base_copies - 1) / base_copies;
    subject.most_iterations = std::max<std::int64_t>(most_nodes / nodes_a_call - base_copies, 1);
  }
  // One number of calls is asked for over and over: graphs of others only take memory.
  const std::int64_t most = subject.most_iterations;
  std::erase_if(subject.graphs, [&](const auto& each) {
    const std::int64_t calls = each.first - base_copies;
    return calls != 0 && calls != std::min(iterations, most) && calls != iterations % most;
  });

  Measured measured;
  bool is_even = base.nodes() % base_copies == 0;
  bool was_held_back = true;
  for (std::int64_t left = iterations; left > 0;) {
    const std::int64_t now = std::min(left, most);
    const Executable& more = graph_of(subject, invocation, base_copies + now);
    is_even = is_even && more.is_even_with(base);
    if (measured.start_ns == 0) measured.start_ns = monotonic_ns();
    const Launched few_calls = launch(base.get());
    const Launched more_calls = launch(more.get());
    measured.interval_ns += more_calls.interval_ns - few_calls.interval_ns;
    was_held_back = was_held_back && few_calls.was_held_back && more_calls.was_held_back;
    left -= now;
  }
  if (!is_even) add_flag(measured.flags, "uneven-work");
  if (!was_held_back) {
    add_flag(measured.flags, "gate-timeout");
    // A launch may be larger than what the queue takes while it is held back.
    subject.most_iterations = std::max<std::int64_t>(std::min(most, iterations) / 4, 1);
  }
  if (!(measured.interval_ns > 0)) add_flag(measured.flags, "no-slope");
  return measured;
}

}  // namespace assay::device::cuda
