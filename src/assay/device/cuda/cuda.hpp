// SPDX-License-Identifier: MIT
//
// Cuda: an NVIDIA GPU, by the driver's interface. Subjects enqueue on stream(); what they link
// themselves (cudart, cuBLAS) shares the device's primary context.
//
// Timers of the boundary `device`: "cupti" (kernel records: the default), "events" (a pair of
// events around each call, behind a gate), "graph" (the slope over copies of the call in a graph).
// Of the boundary `call`: "host" (from before the call until its work is complete). Internal.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/device/cpu/cpu.hpp"
#include "assay/device/cuda/driver.hpp"
#include "assay/device/cuda/gate.hpp"
#include "assay/device/cuda/graph_slope.hpp"
#include "assay/device/cuda/kernels.hpp"
#include "assay/device/cuda/nvml.hpp"
#include "assay/device/cuda/profiler.hpp"
#include "assay/device/device.hpp"

namespace assay::device::cuda {

class PeakKernels;

inline constexpr const char* profiler_timer = "cupti";
inline constexpr const char* event_timer = "events";
inline constexpr const char* graph_timer = "graph";
inline constexpr const char* host_timer = "host";
inline constexpr const char* device_boundary = "device";
inline constexpr const char* call_boundary = "call";

class Cuda final : public Device {
 public:
  // ordinal: as the driver counts, after CUDA_VISIBLE_DEVICES. Throws Error{device} with the reason
  // if there is no such device.
  Cuda(int ordinal, Use use);
  ~Cuda() override;

  std::string id() const override { return "cuda:" + std::to_string(ordinal_); }
  std::string name() const override { return name_; }
  std::vector<Fact> facts() override;
  std::vector<std::string> boundaries() const override {
    return {"device", "call", std::string(cold_start_boundary)};
  }
  Startup opening() const override { return opening_; }
  std::vector<Eviction> evictions() const override {
    return {Eviction::clean, Eviction::by_writing};
  }
  std::vector<Timer> timers() override;
  std::optional<MachineCeilings> ceilings(const std::set<std::string>& dtypes) override;
  Reading<std::int64_t> last_level_cache_bytes() const override {
    return static_cast<std::int64_t>(l2_bytes_);
  }

  Allocation allocate(std::size_t bytes) override;
  bool is_host_memory() const override { return false; }
  void copy_to_host(void* host, const void* device, std::size_t bytes) override;
  void copy_from_host(void* device, const void* host, std::size_t bytes) override;
  void copy_within(void* to, const void* from, std::size_t bytes) override;

  void* stream() override { return stream_; }
  void synchronize() override;
  void bind_to_cores(const std::vector<int>& cores) override { host_.bind_to_cores(cores); }
  void evict(Eviction how, std::span<const Range> ranges) override;
  void begin_cell() override { graphs_->forget(); }
  void begin(const Occasion& occasion) override;
  std::optional<std::string> refused_code(const std::string& message, long native_code) override;
  std::unique_ptr<Invocation> make_canary(const std::string& name) override;
  std::optional<Telemetry> telemetry() override;
  std::optional<MemoryUse> memory_use() override;
  void begin_memory_peak() override;
  std::unique_ptr<KernelCode> compile(const SourceKernel& kernel) override;
  void begin_profiling() override;
  void end_profiling() override;
  Measured measure(Invocation& invocation, std::int64_t iterations,
                   const std::string& timer) override;

 private:
  int attribute(CUdevice_attribute attribute) const;
  Reading<std::string> uuid() const;
  Fact fact_of(const char* name, CUdevice_attribute attribute) const;
  // What is running: problem, case and the subject whose code it is.
  using Place = GraphSlope::Place;
  std::string owner() const;  // of what is allocated now
  Place place() const { return {now_.problem, now_.case_id, now_.code}; }
  // How many calls of what is running go behind one gate; none_yet before its first call, which may
  // load modules and so wait for the device; 0: none may.
  static constexpr std::int64_t none_yet = -1;
  std::int64_t& group() { return groups_.try_emplace(place(), none_yet).first->second; }
  // enqueue(calls) behind a closed gate, then after(calls) once it is open, over and over until all
  // calls are made. Returns flags: "gate-timeout", "ungated".
  template <typename Enqueue, typename After>
  std::string run_gated(std::int64_t calls, Enqueue&& enqueue, After&& after);
  Measured by_profiler(Invocation& invocation, std::int64_t iterations);
  Measured by_events(Invocation& invocation, std::int64_t iterations);
  Measured by_graph(Invocation& invocation, std::int64_t iterations);
  CUevent event(std::size_t index);
  void record_event(std::size_t index);
  double elapsed_ns(std::size_t first, std::size_t last);
  // One that is as its name and boundaries say; its step and floor are measured where they are
  // asked for and can be.
  Timer calibrated(Timer timer);
  Reading<double> step_ns(const Timer& timer);
  // Intervals of a kernel that does nothing, each by that many of it: the shortest and the median.
  Passes empty_kernel(const std::string& timer, std::int64_t calls);
  // In ceilings.cpp. pass_of: enqueues twice, so that lazy work is over, and gives what enqueues it
  // once and says how long the device took.
  std::string ceiling_timer() const;
  std::function<double()> pass_of(const std::string& name, std::function<void()> enqueue);
  std::int64_t free_bytes() const;
  std::vector<BandwidthCeiling> bandwidth_ceilings();
  // One of several launches of the same work, of which the best counts.
  struct Way {
    std::string name;
    std::function<void()> enqueue;
  };
  struct CopyArrays {
    CUdeviceptr from = 0;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;  // of each
  };
  std::vector<Way> by_grids(const std::function<void(unsigned blocks)>& enqueue) const;
  std::vector<Way> ways_to_copy(const CopyArrays& arrays);
  // Throws Error{device} if not all arrives that way.
  void expect_copied(const CopyArrays& arrays, const Way& way);
  ComputeCeiling multiply_add_ceiling(const PeakKernels& kernels, const std::string& dtype);
  ComputeCeiling matrix_ceiling(const PeakKernels& kernels);
  bool is_profiled() const { return profiler_.has_value(); }
  void ensure_evict_buffer();
  // Made when they are needed: before the first call of a subject nothing of Assay's is brought to
  // the device.
  Kernels& kernels();
  Gate& gate();

  Startup opening_;  // before the driver, whose opening it times
  const Driver* driver_;
  Use use_;
  int ordinal_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string name_;
  Cpu host_;  // for cores, and for the host's clock
  Reading<Profiler*> profiler_;
  std::uint32_t stream_number_ = 0;  // CUPTI's
  Reading<Nvml> nvml_ = Missing{"not-asked", ""};
  Reading<std::int64_t> last_other_processes_ = Missing{"not-read", ""};
  std::int64_t last_whole_ns_ = 0;
  CUstream stream_ = nullptr;
  std::unique_ptr<Kernels> kernels_;
  std::unique_ptr<Gate> gate_;
  std::unique_ptr<GraphSlope> graphs_;
  std::vector<CUevent> events_;
  std::size_t l2_bytes_ = 0;
  unsigned blocks_ = 0;  // that fill the device with threads
  CUdeviceptr evict_buffer_ = 0;
  std::size_t evict_bytes_ = 0;
  unsigned evictions_ = 0;
  std::optional<Passes> empty_kernel_;  // by the first timer that was calibrated
  Occasion now_;
  std::map<Place, std::int64_t> groups_;
  std::map<Place, std::int64_t> cross_checks_;  // left
};

}  // namespace assay::device::cuda
