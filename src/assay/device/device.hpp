// SPDX-License-Identifier: MIT
//
// Device: what a worker needs of the thing that it measures on: memory, clocks, an interval around
// a subject, caches emptied. Implemented by cpu/ and fake/; the interface is made so that a device
// with memory and queues of its own fits behind it.
//
// The device knows nothing of problems or messages. It is told what is about to run by an Occasion,
// which a device may use to annotate profiles, and the fake one to find its place in the script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "assay/base/error.hpp"
#include "assay/base/memory_use.hpp"
#include "assay/base/reading.hpp"
#include "assay/base/startup.hpp"
#include "assay/base/telemetry.hpp"
#include "assay/device/source_kernel.hpp"

namespace assay::device {

// The device, or this process's hold on it, is broken for good: whatever is asked of it from now on
// fails. The worker names the subject that ran, and ends.
class DeviceLost : public Error {
 public:
  explicit DeviceLost(const std::string& message, long native_code = 0)
      : Error(ErrorKind::device, message, native_code) {}

  std::string subject;  // that ran; filled in by who called it
};

// The device's driver does not take code: PTX of a newer version, or code for other devices. What
// else the process does goes on.
class CodeRefused : public Error {
 public:
  explicit CodeRefused(const std::string& message, long native_code = 0)
      : Error(ErrorKind::device, message, native_code) {}
};

// Memory of a device; freed with the object.
class Allocation {
 public:
  Allocation() = default;
  Allocation(void* data, std::size_t bytes, std::function<void(void*)> release)
      : data_(data), bytes_(bytes), release_(std::move(release)) {}
  Allocation(Allocation&& other) noexcept { swap(other); }
  Allocation& operator=(Allocation&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Allocation() {
    if (data_ != nullptr) release_(data_);
  }

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(Allocation& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(release_, other.release_);
  }
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::function<void(void*)> release_;
};

struct Range {
  const void* data;
  std::size_t bytes;
};

// What an interval is put around: the erased loop of a subject.
class Invocation {
 public:
  virtual ~Invocation() = default;
  virtual void run(std::int64_t iterations) = 0;
};

struct Timer {
  std::string name;
  std::vector<std::string> boundaries;                          // those that it can time
  Reading<double> resolution_ns = Missing{"not-measured", ""};  // smallest step of its values
  Reading<double> floor_ns = Missing{"not-measured", ""};  // interval around nothing, the median
  // Whether it times each iteration apart and adds up, so that its step enters once an iteration.
  bool is_per_call = false;
  // Whether an interval is how much longer that many more iterations take: what does not grow with
  // them cancels, the floor is that of one iteration, and noise may make the interval of a short
  // sample zero or negative. Not for samples of which every iteration must be prepared for.
  bool is_slope = false;
};

// One piece of work that a device with a queue did in an interval, by the device's own clock.
struct KernelRecord {
  std::string name;
  std::int64_t start_ns = 0;  // CLOCK_MONOTONIC, as far as the device's clock can be related to it
  std::int64_t duration_ns = 0;
  std::int64_t grid = 0;     // blocks; 0 for what is no kernel
  std::int64_t threads = 0;  // of a block
};

struct Measured {
  double interval_ns = 0;
  std::int64_t start_ns = 0;  // CLOCK_MONOTONIC
  // In the order in which they began; of timers that see them, else empty.
  std::vector<KernelRecord> kernels;
  // "" or slugs separated by blanks: "switched" (the scheduler took the core away meanwhile),
  // "migrated" (the thread ended on another core than it began on), "paged" (it waited for pages
  // from a disk). A device adds its own.
  std::string flags;
};

// What is about to run. Empty texts and 0 where a matter does not apply.
struct Occasion {
  std::int64_t trial = 0;
  std::string stage;  // "describe", "prepare", "check", "calibrate", "warm-up", "block", "idle",
                      // "end"
  std::string problem;
  std::string case_id;
  std::string state;
  std::string subject;  // as it is called in the block: may be "control"
  std::string code;     // the subject whose code runs; of the control the baseline
  std::int64_t block = 0;
};

// What is to be made wrong on purpose, so that what watches for it can be tested. Only the fake
// device asks for any; the worker does it.
struct Disturbance {
  enum class Kind { none, wrong_output, garbage_line, truncated_line, slow_answer };
  Kind kind = Kind::none;
  double seconds = 0;  // of slow_answer
};

// Something about the device that belongs into the record: "compute-capability", "9.0".
struct Fact {
  std::string name;
  Reading<std::string> value;
};

// How caches are emptied. clean: what is asked for is gone and nothing is left to be written back.
// by_writing: by writing over a buffer of the cache's size, as other tools do; its dirty lines are
// written back during the interval. For experiments on just that.
enum class Eviction { clean, by_writing };

// Which boundary and timer a process is about to serve; empty: any of them. A device may need to
// know before the first work.
struct Use {
  std::string boundary;
  std::string timer;
  // Whether the timers' steps and floors, facts and limits are asked for: else a device may leave
  // them out, as missing, which saves a process tenths of a second.
  bool measures = true;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string id() const = 0;    // "cpu", "fake"
  virtual std::string name() const = 0;  // "Intel(R) Xeon(R) Processor"
  virtual std::vector<Fact> facts() { return {}; }
  // Measured when asked, which takes some tenths of a second; nothing: this device does not measure
  // its own. dtypes: whose peaks are of use, "" for any; those of others may be missing, as
  // "not-asked".
  virtual std::optional<MachineCeilings> ceilings(const std::set<std::string>& /*dtypes*/) {
    return std::nullopt;
  }
  // Limits of all levels that are known without measuring; nullptr: none.
  virtual std::shared_ptr<const MachineCeilings> known_ceilings() { return nullptr; }
  virtual Reading<std::int64_t> last_level_cache_bytes() const {
    return Missing{"not-measured", "the device does not say"};
  }
  virtual std::vector<std::string> boundaries() const = 0;
  virtual std::vector<Eviction> evictions() const { return {Eviction::clean}; }
  // The first that serves a boundary is its default. Measures their steps and floors, which takes
  // some milliseconds.
  virtual std::vector<Timer> timers() = 0;

  // At least 64-byte aligned, uninitialised. Throws Error{device}.
  virtual Allocation allocate(std::size_t bytes) = 0;
  // Whether the host may read and write the memory where it lies; then the copies below are
  // memcpy.
  virtual bool is_host_memory() const = 0;
  virtual void copy_to_host(void* host, const void* device, std::size_t bytes) = 0;
  virtual void copy_from_host(void* device, const void* host, std::size_t bytes) = 0;
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;

  // The queue that subjects enqueue on; nullptr where calls are synchronous.
  virtual void* stream() = 0;
  // Waits for all work of the device. Throws Error{device} if some of it failed.
  virtual void synchronize() = 0;

  // Lets the calling thread, and threads that it starts from now on, run on these cores only.
  // Empty: on those that the process was started with. Throws Error{device}.
  virtual void bind_to_cores(const std::vector<int>& cores) = 0;

  // Afterwards no cache holds these bytes: a device may evict more than was asked for. Throws
  // Error{device} where it cannot.
  virtual void evict(Eviction how, std::span<const Range> ranges) = 0;

  // A cell is about to be made ready: what earlier work was given is freed, so that nothing which
  // the device keeps of that work may be used again.
  virtual void begin_cell() {}

  // Before every call of a subject, timed or not, and before a request is worked on (without a
  // subject).
  virtual void begin(const Occasion& occasion) = 0;
  virtual Disturbance disturbance(const Occasion&) { return {}; }

  // Fixed work of the device's own, the same in every program: "canary-compute" follows its clock,
  // "canary-memory" the way to its memory. nullptr where host code does as well.
  virtual std::unique_ptr<Invocation> make_canary(const std::string&) { return nullptr; }

  // What opening it took: the phases `driver` and `context`, the others untold.
  virtual Startup opening() const;
  // Takes from milliseconds to seconds, and asks nothing of the device. Throws Error{bad_input}
  // with the compiler's messages, Error{device} where there is no compiler or the device runs no
  // such code.
  virtual std::unique_ptr<KernelCode> compile(const SourceKernel& kernel);

  // What the device does now; nothing for a device that tells nothing of itself. Takes microseconds
  // to milliseconds: never asked within an interval. Does not throw.
  virtual std::optional<Telemetry> telemetry() { return std::nullopt; }

  // Memory: the peak begins anew / what there is of it since then, without what the library has
  // allocated, which the device does not know; nothing for a device that does not tell. Not within
  // an interval. Do not throw.
  virtual void begin_memory_peak() {}
  virtual std::optional<MemoryUse> memory_use() { return std::nullopt; }

  // A subject failed, with these words and number of its own. Whether it was because the driver
  // does not take its code, as those say or the device has seen since the occasion began: a
  // sentence with what to do. Nothing: as far as the device can tell it was not. Does not throw.
  virtual std::optional<std::string> refused_code(const std::string& /*message*/,
                                                  long /*native_code*/) {
    return std::nullopt;
  }

  // Tell a profiler that watches the process from outside where to begin and to end; what runs in
  // between has ended by the latter. Nothing where there can be none.
  virtual void begin_profiling() {}
  virtual void end_profiling() {}

  // One interval around invocation.run(iterations), as the occasion begun last. Throws Error{usage}
  // for an unknown timer; what the invocation throws goes through.
  virtual Measured measure(Invocation& invocation, std::int64_t iterations,
                           const std::string& timer) = 0;
};

// "cpu", "cuda" (the first device) or "cuda:N", "fake:SCRIPT.json". Throws Error{device} for a
// device that is not there, with the reason, and Error{bad_input} for a bad script.
std::unique_ptr<Device> open(const std::string& id, const Use& use = {});

}  // namespace assay::device
