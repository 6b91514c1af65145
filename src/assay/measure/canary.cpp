// SPDX-License-Identifier: MIT
#include "assay/measure/canary.hpp"

#include "assay/base/do_not_optimize.hpp"
#include "assay/measure/canary_kernels.hpp"

namespace assay::measure {
namespace {

// A median of five stands two disturbed samples.
constexpr int canary_samples = 5;

class Compute final : public device::Invocation {
 public:
  void run(std::int64_t iterations) override {
    for (; iterations > 0; --iterations) do_not_optimize(canary_compute(1));
  }
};

class Memory final : public device::Invocation {
 public:
  explicit Memory(const std::vector<std::uint64_t>& buffer) : buffer_(buffer) {}
  void run(std::int64_t iterations) override {
    for (; iterations > 0; --iterations) {
      do_not_optimize(canary_memory(buffer_.data(), buffer_.size() * sizeof(std::uint64_t)));
    }
  }

 private:
  const std::vector<std::uint64_t>& buffer_;
};

}  // namespace

std::vector<wire::SampleTaken> Canaries::run(device::Device& device, device::Occasion occasion,
                                             const std::string& timer,
                                             const std::vector<int>& cores) {
  // A cell that is prepared binds anew before each of its calls.
  device.bind_to_cores(cores);
  if (buffer_.empty()) buffer_.assign(buffer_bytes / sizeof(std::uint64_t), 1);
  Compute compute;
  Memory memory(buffer_);
  std::vector<wire::SampleTaken> samples;
  const auto take = [&](const char* name, device::Invocation& host_kernel) {
    occasion.subject = name;
    occasion.code = name;
    const auto own = device.make_canary(name);
    device::Invocation& kernel = own ? *own : host_kernel;
    kernel.run(1);
    device.synchronize();
    for (int i = 0; i < canary_samples; ++i) {
      device.begin(occasion);
      const device::Measured one = device.measure(kernel, 1, timer);
      samples.push_back({name, one.interval_ns, one.start_ns, one.flags, {}});
    }
  };
  take(compute_canary, compute);
  take(memory_canary, memory);
  return samples;
}

}  // namespace assay::measure
