// SPDX-License-Identifier: MIT
#include "assay/device/cuda/cuda.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "assay/base/time.hpp"
#include "assay/device/cuda/call.hpp"
#include "assay/device/cuda/code_refusal.hpp"
#include "assay/device/cuda/source_kernel.hpp"

namespace assay::device::cuda {
namespace {

// A gate that is closed for longer has something waiting behind it.
constexpr double gate_patience_s = 0.2;
// Times the size of the L2 cache that an eviction reads. Its two halves may hold a line twice, and
// what replaces what is not told; three times was enough to make every size slow, twice not tried.
constexpr std::size_t evict_multiple = 3;

const Driver& driver_or_throw(const std::string& id) {
  const Reading<Driver>& loaded = driver();
  if (!loaded) {
    throw Error(ErrorKind::device, "cannot open the device '" + id +
                                       "': " + loaded.missing().detail + " (" +
                                       loaded.missing().reason + ")");
  }
  return *loaded;
}

// f(), with the time that it took.
template <typename F>
auto timed(Reading<PhaseTime>& time, F&& f) {
  const std::int64_t start_ns = monotonic_ns();
  const auto result = f();
  time = PhaseTime{start_ns, static_cast<double>(monotonic_ns() - start_ns)};
  return result;
}

// Recording must begin before the first context is made, and is not for processes that measure
// otherwise: it makes launches slower.
Reading<Profiler*> profiler_for(const Use& use) {
  const bool is_wanted = (use.boundary.empty() || use.boundary == device_boundary) &&
                         (use.timer.empty() || use.timer == profiler_timer);
  if (!is_wanted) return Missing{"not-used", "this process measures without CUPTI"};
  return Profiler::start();
}

}  // namespace

Cuda::Cuda(int ordinal, Use use)
    : driver_(timed(opening_[StartupPhase::driver],
                    [&] { return &driver_or_throw("cuda:" + std::to_string(ordinal)); })),
      use_(use),
      ordinal_(ordinal),
      profiler_(profiler_for(use)) {
  int count = 0;
  driver_->check(driver_->cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count) {
    throw Error(ErrorKind::device, "there is no device '" + id() + "': the driver sees " +
                                       std::to_string(count) + ", counted from 0");
  }
  driver_->check(driver_->cuDeviceGet(&device_, ordinal), "cuDeviceGet");
  char name[256] = "";
  driver_->check(driver_->cuDeviceGetName(name, sizeof name, device_), "cuDeviceGetName");
  name_ = name;
  stream_ = timed(opening_[StartupPhase::context], [&] {
    driver_->check(driver_->cuDevicePrimaryCtxRetain(&context_, device_),
                   "cuDevicePrimaryCtxRetain");
    driver_->check(driver_->cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    CUstream stream = nullptr;
    driver_->check(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return stream;
  });
  if (use_.boundary != cold_start_boundary) {
    kernels();
    gate();
  }
  graphs_ = std::make_unique<GraphSlope>(*driver_, stream_);
  nvml_ = uuid().has_value() ? Nvml::open(*uuid()) : Reading<Nvml>(uuid().missing());
  if (is_profiled()) stream_number_ = (*profiler_)->number_of(context_, stream_);
  l2_bytes_ = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  const int processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const int threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  blocks_ = static_cast<unsigned>(std::max(processors * (threads / 256), 1));
}

// Nothing is checked: a device that was lost gives errors, and there is nobody to tell.
Cuda::~Cuda() {
  for (CUevent event : events_) driver_->cuEventDestroy(event);
  if (evict_buffer_ != 0) driver_->cuMemFree(evict_buffer_);
  graphs_.reset();
  gate_.reset();
  kernels_.reset();
  driver_->cuStreamDestroy(stream_);
  driver_->cuDevicePrimaryCtxRelease(device_);
}

Kernels& Cuda::kernels() {
  if (!kernels_) kernels_ = std::make_unique<Kernels>(*driver_);
  return *kernels_;
}

Gate& Cuda::gate() {
  if (!gate_) gate_ = std::make_unique<Gate>(*driver_, gate_patience_s);
  return *gate_;
}

int Cuda::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  driver_->check(driver_->cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

Fact Cuda::fact_of(const char* name, CUdevice_attribute attribute) const {
  int value = 0;
  const CUresult result = driver_->cuDeviceGetAttribute(&value, attribute, device_);
  if (result != CUDA_SUCCESS) return {name, Missing{"not-supported", driver_->describe(result)}};
  return {name, std::to_string(value)};
}

std::vector<Fact> Cuda::facts() {
  std::vector<Fact> facts;
  if (!use_.measures) return facts;
  facts.push_back({"compute-capability",
                   std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
                       std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))});
  facts.push_back({"driver-cuda-version", version_text(driver_->version)});
  facts.push_back({"headers-cuda-version", version_text(CUDA_VERSION)});
  facts.push_back({"driver-library", driver_->path});
  facts.push_back({"uuid", uuid()});
  std::size_t bytes = 0;
  driver_->check(driver_->cuDeviceTotalMem(&bytes, device_), "cuDeviceTotalMem");
  facts.push_back({"memory-bytes", std::to_string(bytes)});
  facts.push_back({"l2-bytes", std::to_string(l2_bytes_)});
  facts.push_back(fact_of("multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  facts.push_back(
      fact_of("threads-per-multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
  facts.push_back(
      fact_of("blocks-per-multiprocessor", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  facts.push_back(fact_of("max-clock-khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
  facts.push_back(fact_of("memory-clock-khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE));
  facts.push_back(fact_of("memory-bus-bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  facts.push_back(fact_of("ecc", CU_DEVICE_ATTRIBUTE_ECC_ENABLED));
  facts.push_back(fact_of("time-limit-on-kernels", CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT));
  CUmoduleLoadingMode mode{};
  facts.push_back({"module-loading",
                   driver_->cuModuleGetLoadingMode(&mode) == CUDA_SUCCESS
                       ? Reading<std::string>(mode == CU_MODULE_EAGER_LOADING ? "eager" : "lazy")
                       : Missing{"not-supported", ""}});
  facts.push_back({"cupti-version", profiler_.transform([](const Profiler* profiler) {
                     return profiler->version();
                   })});
  if (nvml_) {
    for (Fact& fact : nvml_->facts()) facts.push_back(std::move(fact));
  } else {
    facts.push_back({"nvml-version", nvml_.missing()});
  }
  return facts;
}

Reading<std::string> Cuda::uuid() const {
  CUuuid uuid{};
  const CUresult result = driver_->cuDeviceGetUuid(&uuid, device_);
  if (result != CUDA_SUCCESS) return Missing{"not-supported", driver_->describe(result)};
  std::array<unsigned char, 16> bytes{};
  std::copy(std::begin(uuid.bytes), std::end(uuid.bytes), bytes.begin());
  return uuid_text(bytes);
}

// A whole reading takes some 10 ms, so one is taken twice a second; in between only what tells of
// the time that passed. Nor do other processes come and go within a moment that a whole reading
// would have seen: the last one's count goes on.
std::optional<Telemetry> Cuda::telemetry() {
  constexpr std::int64_t between_whole_ns = 500'000'000;
  if (!nvml_) return unknown_sample(nvml_.missing());
  const std::int64_t now_ns = monotonic_ns();
  const bool is_whole = last_whole_ns_ == 0 || now_ns - last_whole_ns_ > between_whole_ns;
  if (is_whole) last_whole_ns_ = now_ns;
  Telemetry reading = nvml_->sample(is_whole ? Nvml::Extent::all : Nvml::Extent::counters);
  if (is_whole) {
    last_other_processes_ = reading.of(Field::other_processes);
  } else {
    reading.set(Field::other_processes, last_other_processes_);
  }
  return reading;
}

std::optional<MemoryUse> Cuda::memory_use() {
  MemoryUse use;
  use.capacity_of = "device";
  // Host memory is no part of what a device runs out of, and a device has no swap.
  use.swapped_bytes = use.remote_bytes =
      Missing{"not-applicable", "the device's memory is its own"};
  use.managed_bytes = is_profiled() ? (*profiler_)->managed_bytes_of(owner())
                                    : Reading<std::int64_t>(profiler_.missing());
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const CUresult result = driver_->cuMemGetInfo(&free_bytes, &total_bytes);
  if (result != CUDA_SUCCESS) {
    use.peak_bytes = use.capacity_bytes = Missing{"unreadable", driver_->describe(result)};
    return use;
  }
  use.capacity_bytes = static_cast<std::int64_t>(total_bytes);
  use.peak_bytes = static_cast<std::int64_t>(total_bytes - std::min(free_bytes, total_bytes));
  return use;
}

void Cuda::begin_memory_peak() {
  if (is_profiled()) (*profiler_)->begin_managed_peak();
}

void Cuda::begin_profiling() {
  synchronize();
  if (driver_->profiler_start != nullptr) {
    driver_->check(driver_->profiler_start(), "cuProfilerStart");
  }
}

void Cuda::end_profiling() {
  synchronize();
  if (driver_->profiler_stop != nullptr) driver_->check(driver_->profiler_stop(), "cuProfilerStop");
}

std::unique_ptr<KernelCode> Cuda::compile(const SourceKernel& kernel) {
  return compile_source(
      *driver_, device_,
      "sm_" + std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                             attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)),
      kernel);
}

void Cuda::begin(const Occasion& occasion) {
  now_ = occasion;
  if (!is_profiled()) return;
  (*profiler_)->take_refusal();
  (*profiler_)->own_managed_memory(owner());
}

std::string Cuda::owner() const { return now_.code.empty() ? "" : now_.problem + "/" + now_.code; }

std::optional<std::string> Cuda::refused_code(const std::string& message, long native_code) {
  CUresult result = refusal_in(message, native_code);
  if (result == CUDA_SUCCESS && is_profiled()) result = (*profiler_)->take_refusal();
  if (result == CUDA_SUCCESS) return std::nullopt;
  int major = 0;
  int minor = 0;
  std::string architecture = "the device's architecture";
  if (driver_->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                    device_) == CUDA_SUCCESS &&
      driver_->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                    device_) == CUDA_SUCCESS) {
    architecture = "sm_" + std::to_string(10 * major + minor);
  }
  return refusal_text(*driver_, result, linked_code(architecture));
}

Allocation Cuda::allocate(std::size_t bytes) {
  CUdeviceptr memory = 0;
  const CUresult result = driver_->cuMemAlloc(&memory, std::max<std::size_t>(bytes, 1));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    driver_->cuMemGetInfo(&free_bytes, &total_bytes);
    throw Error(ErrorKind::device, "the device has no room for " + std::to_string(bytes) +
                                       " bytes: " + std::to_string(free_bytes) + " of " +
                                       std::to_string(total_bytes) +
                                       " are free; measure a smaller case");
  }
  driver_->check(result, "cuMemAlloc");
  const Driver* driver = driver_;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is what the driver's addresses are
  return {reinterpret_cast<void*>(memory), bytes,
          [driver](void* data) { driver->cuMemFree(reinterpret_cast<CUdeviceptr>(data)); }};
}

void Cuda::copy_to_host(void* host, const void* device, std::size_t bytes) {
  driver_->check(driver_->cuMemcpyDtoH(host, reinterpret_cast<CUdeviceptr>(device), bytes),
                 "cuMemcpyDtoH");
}

void Cuda::copy_from_host(void* device, const void* host, std::size_t bytes) {
  driver_->check(driver_->cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(device), host, bytes),
                 "cuMemcpyHtoD");
  // From pageable memory it may come back before the bytes have arrived, and the subjects' stream
  // does not wait for the one that brings them.
  driver_->check(driver_->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
}

void Cuda::copy_within(void* to, const void* from, std::size_t bytes) {
  driver_->check(driver_->cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                            reinterpret_cast<CUdeviceptr>(from), bytes, stream_),
                 "cuMemcpyDtoDAsync");
  driver_->check(driver_->cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

void Cuda::synchronize() { driver_->check(driver_->cuCtxSynchronize(), "cuCtxSynchronize"); }

void Cuda::ensure_evict_buffer() {
  if (evict_buffer_ != 0) return;
  constexpr std::size_t whole = std::size_t{2} << 20U;
  evict_bytes_ = (evict_multiple * std::max(l2_bytes_, whole) + whole - 1) / whole * whole;
  driver_->check(driver_->cuMemAlloc(&evict_buffer_, evict_bytes_), "cuMemAlloc for evictions");
  kernels().write(evict_buffer_, evict_bytes_, 1, blocks_, stream_);
  synchronize();
}

void Cuda::evict(Eviction how, std::span<const Range>) {
  ensure_evict_buffer();
  // Lines that a subject asked to persist are ordinary ones again; that alone evicts nothing.
  driver_->check(driver_->cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache");
  switch (how) {
    case Eviction::clean:
      kernels().read(evict_buffer_, evict_bytes_, blocks_, stream_);
      break;
    case Eviction::by_writing:
      // As much as the cache holds, as the tools do that flush so.
      kernels().write(evict_buffer_, l2_bytes_, ++evictions_, blocks_, stream_);
      break;
  }
  synchronize();
}

std::unique_ptr<Invocation> Cuda::make_canary(const std::string& name) {
  ensure_evict_buffer();
  if (name == "canary-compute") {
    constexpr unsigned steps = 6000;  // four multiplications each: some 50 µs at 2 GHz
    return std::make_unique<Call<std::function<void()>>>(
        [this] { kernels().chain(steps, stream_); });
  }
  return std::make_unique<Call<std::function<void()>>>(
      [this] { kernels().read(evict_buffer_, evict_bytes_, blocks_, stream_); });
}

}  // namespace assay::device::cuda
