// SPDX-License-Identifier: MIT
//
// The bandwidth of a CUDA device's memory, by Assay's own kernels.
#include <algorithm>
#include <functional>

#include "assay/device/cuda/call.hpp"
#include "assay/device/cuda/cuda.hpp"

namespace assay::device::cuda {
namespace {

// Far beyond any cache. On the fastest memory a pass over one array takes some 110 µs, of which
// launch and tail are 2 or 3 %.
constexpr std::size_t array_bytes = std::size_t{512} << 20U;
constexpr int passes = 15;
// Grids that fill the device once, twice and four times: which moves most differs by kernel.
constexpr unsigned fills[] = {1, 2, 4};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<Ceiling> Cuda::ceilings() {
  std::vector<Allocation> arrays;
  try {
    for (int i = 0; i < 3; ++i) arrays.push_back(allocate(array_bytes));
  } catch (const Error& error) {
    const Missing no_room{"no-room", error.what()};
    return {{"read", no_room}, {"write", no_room}, {"copy", no_room}, {"triad", no_room}};
  }
  const auto address = [&](std::size_t i) {
    return reinterpret_cast<CUdeviceptr>(arrays[i].data());
  };
  // Random exponents make NaNs and infinities of some numbers; they cost no more than others.
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    kernels().write(address(i), array_bytes, static_cast<unsigned>(i + 1), blocks_, stream_);
  }
  synchronize();

  using Enqueue = std::function<void(unsigned blocks)>;
  const struct {
    const char* name;
    std::size_t arrays;
    Enqueue enqueue;
  } kinds[] = {
      {"read", 1,
       [&](unsigned blocks) { kernels().read(address(0), array_bytes, blocks, stream_); }},
      {"write", 1,
       [&](unsigned blocks) { kernels().write(address(0), array_bytes, 7, blocks, stream_); }},
      {"copy", 2,
       [&](unsigned blocks) {
         kernels().copy(address(0), address(1), array_bytes, blocks, stream_);
       }},
      {"triad", 3,
       [&](unsigned blocks) {
         kernels().triad(address(0), address(1), address(2), array_bytes, blocks, stream_);
       }},
  };
  const std::string timer = is_profiled() ? "cupti" : "events";
  std::vector<Ceiling> ceilings;
  for (const auto& kind : kinds) {
    double best = 0;
    for (const unsigned fill : fills) {
      now_ = {};
      now_.code = std::string("ceiling ") + kind.name;
      Call pass([&] { kind.enqueue(fill * blocks_); });
      pass.run(2);
      synchronize();
      std::vector<double> intervals_ns;
      for (int i = 0; i < passes; ++i) {
        intervals_ns.push_back(measure(pass, 1, timer).interval_ns);
      }
      best = std::max(best, static_cast<double>(kind.arrays * array_bytes) /
                                (median(std::move(intervals_ns)) * 1e-9));
    }
    ceilings.push_back({kind.name, best});
  }
  return ceilings;
}

}  // namespace assay::device::cuda
