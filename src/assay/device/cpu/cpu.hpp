// SPDX-License-Identifier: MIT
//
// Cpu: the processor that the worker runs on. Calls are synchronous, memory is the host's.
#pragma once

#include <sched.h>

#include <optional>
#include <string>
#include <vector>

#include "assay/device/cpu/process_memory.hpp"
#include "assay/device/cpu/processor_telemetry.hpp"
#include "assay/device/device.hpp"

namespace assay::device {

class Cpu final : public Device {
 public:
  Cpu();

  std::string id() const override { return "cpu"; }
  std::string name() const override { return name_; }
  std::vector<std::string> boundaries() const override {
    return {"call", std::string(cold_start_boundary)};
  }
  Reading<std::int64_t> last_level_cache_bytes() const override;
  // "monotonic", then "tsc" (x86 with an invariant one) or "cntvct" (AArch64).
  std::vector<Timer> timers() override;

  Allocation allocate(std::size_t bytes) override;
  bool is_host_memory() const override { return true; }
  void copy_to_host(void* host, const void* device, std::size_t bytes) override;
  void copy_from_host(void* device, const void* host, std::size_t bytes) override;
  void copy_within(void* to, const void* from, std::size_t bytes) override;
  void* stream() override { return nullptr; }
  void synchronize() override {}

  void bind_to_cores(const std::vector<int>& cores) override;
  // Throws Error{device} on a processor without an instruction for it.
  void evict(Eviction how, std::span<const Range> ranges) override;
  void begin(const Occasion& occasion) override;
  std::optional<Telemetry> telemetry() override;
  void begin_memory_peak() override { memory_.begin_peak(); }
  std::optional<MemoryUse> memory_use() override { return memory_.use(); }
  Measured measure(Invocation& invocation, std::int64_t iterations,
                   const std::string& timer) override;

 private:
  double ticks_per_ns();

  std::string name_;
  cpu_set_t at_start_{};
  std::vector<int> bound_;
  double ticks_per_ns_ = 0;  // 0: not calibrated yet
  ProcessMemory memory_{"/"};
  std::optional<ProcessorTelemetry> telemetry_;  // opened when it is asked for
};

// The smallest distance between two different values that a timer was seen to take, in units of its
// values, from the differences between successive readings: of those, and of their differences, the
// smallest that is not zero. (The differences alone give the cost of a reading, which is longer
// than the step of a good clock.) A coarse clock whose values are rounded to the unit shows one
// difference as two neighbours (41 and 42): these count as one, and the step is one unit only where
// three or more follow each other. Missing if all are zero.
Reading<double> step_of(std::vector<double> differences);

}  // namespace assay::device
