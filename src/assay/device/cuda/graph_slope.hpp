// SPDX-License-Identifier: MIT
//
// GraphSlope: the time of a call as the slope over the number of its copies in a graph.
//
// An interval between two events has the launch, the first kernel's start and the events' own time
// in it. Here the calls are captured into two executable graphs, one of a few copies and one of
// `iterations` copies more. Both are launched in the same way between the same events, so that what
// does not depend on the number of copies cancels in the difference. What remains is what a further
// call costs in a graph: its work, and the step from one node to the next, which the floor of the
// timer (an empty kernel) shows.
//
// A graph holds the addresses and values that were passed when it was captured. A cell gives the
// same memory to all calls of a subject and renews its content in place, so a graph serves until
// the cell is given up (forget()). What cannot be captured is refused: a call that waits for the
// device or allocates would not be measured as it runs. Nothing is made of a difference that is
// zero or negative. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "assay/device/cuda/driver.hpp"
#include "assay/device/device.hpp"

namespace assay::device::cuda {

class GraphSlope {
 public:
  // Whose graphs they are: problem, case and the subject whose code it is.
  using Place = std::tuple<std::string, std::string, std::string>;

  struct Launched {
    double interval_ns = 0;
    bool was_held_back = true;  // until the whole launch was in the queue
  };
  // Launches the graph once on the stream and waits for it.
  using Launch = std::function<Launched(CUgraphExec)>;

  // stream: that subjects enqueue on.
  GraphSlope(const Driver& driver, CUstream stream) : driver_(&driver), stream_(stream) {}

  // The interval is that of `iterations` calls, above that of base_copies; of more calls than fit
  // into one graph it is the sum over several pairs of launches. Flags: "uneven-work" (the copies
  // are not the same work), "gate-timeout" (a launch was not held back), "no-slope" (more calls
  // took no longer, so that the interval is no time: it is zero or negative).
  //
  // Throws Error{device} for calls that cannot be captured, with what CUDA said and what to do, or
  // that put no work on the stream; DeviceLost if that is so, or if the stream cannot be freed from
  // the capture. What the invocation throws in its first call goes through, and is quoted where it
  // throws while it is captured.
  Measured measure(const Place& place, Invocation& invocation, std::int64_t iterations,
                   const Launch& launch);

  // Graphs that were captured so far are not used again: whatever they point at may be gone.
  void forget() { subjects_.clear(); }

  // More than one, so that both graphs have a step from node to node.
  static constexpr std::int64_t base_copies = 2;

 private:
  class Executable {
   public:
    Executable(const Driver& driver, CUgraphExec graph, std::int64_t copies, std::int64_t nodes)
        : driver_(&driver), graph_(graph), copies_(copies), nodes_(nodes) {}
    Executable(Executable&& other) noexcept
        : driver_(other.driver_),
          graph_(std::exchange(other.graph_, nullptr)),
          copies_(other.copies_),
          nodes_(other.nodes_) {}
    Executable& operator=(Executable&&) = delete;
    ~Executable() {
      if (graph_ != nullptr) driver_->cuGraphExecDestroy(graph_);
    }

    CUgraphExec get() const noexcept { return graph_; }
    // Whether both hold the same number of nodes for a copy.
    bool is_even_with(const Executable& other) const noexcept {
      return nodes_ * other.copies_ == other.nodes_ * copies_;
    }
    std::int64_t copies() const noexcept { return copies_; }
    std::int64_t nodes() const noexcept { return nodes_; }

   private:
    const Driver* driver_;
    CUgraphExec graph_;
    std::int64_t copies_;
    std::int64_t nodes_;  // that do work on the device
  };
  struct Subject {
    std::map<std::int64_t, Executable> graphs;  // by copies
    std::int64_t most_iterations = 0;           // of one launch
  };

  const Executable& graph_of(Subject& subject, Invocation& invocation, std::int64_t copies);
  Executable make(Invocation& invocation, std::int64_t copies);
  CUgraph capture(Invocation& invocation, std::int64_t copies);
  void expect_capture_is_over();

  const Driver* driver_;
  CUstream stream_;
  std::map<Place, Subject> subjects_;
};

}  // namespace assay::device::cuda
