// SPDX-License-Identifier: MIT
//
// Profiler: CUPTI, opened at run time: what the device did, kernel by kernel, and what the host
// asked of the driver meanwhile.
//
// An activity record holds when a kernel began and ended by the device's own clock. That is what a
// kernel takes: an event pair adds the time between the records and the kernel (some 3 µs on an
// H200), which is half of a 5 µs kernel. Launches, copies and fills on any stream are seen, so that
// work which left the queue, or was never launched, shows.
//
// It must be started before the first context is made and before modules are loaded: kernels are
// instrumented as they are loaded. One per process; CUPTI allows one user, so under another
// profiler it is Missing. Internal.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::device::cuda {

struct Activity {
  enum class Kind { kernel, copy, fill };
  Kind kind = Kind::kernel;
  std::string name;            // of a kernel as the compiler mangled it; "[memcpy]", "[memset]"
  std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t end_ns = 0;
  std::uint32_t stream = 0;  // CUPTI's number of it
  std::int64_t grid = 0;
  std::int64_t threads = 0;
};

// What was called in the driver between begin() and end(), by anyone in the process.
struct DriverCalls {
  std::int64_t launches = 0;
  std::int64_t failed_launches = 0;
  std::int64_t allocations = 0;  // and frees, of memory by the ordinary calls, not from pools
  std::int64_t synchronisations = 0;
  std::int64_t module_loads = 0;
};

class Profiler {
 public:
  // Opens CUPTI and starts recording. Missing: "not-found"; "version", where the library is another
  // than the headers that Assay was built with describe; "busy" (another profiler has it);
  // "refused" with what CUPTI said. Once a process: later calls give the same.
  static const Reading<Profiler*>& start();

  // Forgets what was recorded so far; counts driver calls from now on.
  void begin();
  // The calls of the driver since begin().
  DriverCalls calls() const;
  // What was recorded since begin(), ordered by when it began, with `calls`: those of the interval,
  // asked for before whoever measures synchronised. The device must have finished its work
  // (cuCtxSynchronize). Throws Error{device} if CUPTI lost records.
  struct Recorded {
    std::vector<Activity> activities;
    DriverCalls calls;
    bool has_unfinished = false;  // a record without times
  };
  Recorded end(const DriverCalls& calls);

  // The first result by which the driver refused code since this was asked last; CUDA_SUCCESS if it
  // did not, as far as calls are watched. By any thread.
  CUresult take_refusal();

  // Whose code runs from now on, as far as managed memory is told apart; and the most of it that
  // somebody's code has held at once. Missing where driver calls cannot be watched.
  void own_managed_memory(const std::string& owner);
  void begin_managed_peak();  // counted anew from now on
  Reading<std::int64_t> managed_bytes_of(const std::string& owner) const;

  // CUPTI's number of a stream, to tell what ran on it.
  std::uint32_t number_of(CUcontext context, CUstream stream) const;
  // "13.0.1" of the library.
  const std::string& version() const noexcept { return version_; }
  // Missing where driver calls cannot be watched; DriverCalls are all 0 then.
  const Reading<bool>& watches_calls() const noexcept { return watches_calls_; }

 private:
  friend struct ProfilerStart;
  Profiler() = default;

  std::string version_;
  Reading<bool> watches_calls_ = Missing{"not-asked", ""};
};

// The version of CUPTI that a library of it must have: that of the headers.
int expected_profiler_version();

}  // namespace assay::device::cuda
