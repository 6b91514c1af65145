// SPDX-License-Identifier: MIT
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#include "cuda_common/launch.cuh"
#include "reduction_cuda/sum_cub.hpp"

namespace reduction_cuda {

std::size_t cub_temporary_bytes(std::int64_t n) {
  std::size_t bytes = 0;
  const float* x = nullptr;
  float* y = nullptr;
  cuda_common::expect(cub::DeviceReduce::Sum(nullptr, bytes, x, y, n),
                      "asking cub::DeviceReduce::Sum for the size of its temporary memory");
  return bytes;
}

void sum_cub(void* temporary, std::size_t temporary_bytes, const float* x, std::int64_t n, float* y,
             cudaStream_t stream) {
  cuda_common::expect(cub::DeviceReduce::Sum(temporary, temporary_bytes, x, y, n, stream),
                      "launching cub::DeviceReduce::Sum");
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace reduction_cuda
