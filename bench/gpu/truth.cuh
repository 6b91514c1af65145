// SPDX-License-Identifier: MIT
//
// What kernels saw of their own start and end, kept apart from what a harness measures of them.
//
// A kernel writes to a place of its own that the host picked: no counter on the device, whose
// reading would lengthen the kernel that is being timed. The places are in device memory, as a
// write to the host's has to cross the bus before the kernel is over.
#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cuda_common/launch.cuh"
#include "reduction_cuda/sum.cuh"

namespace truth {

using reduction_cuda::InKernel;

// Keeps the last so many calls of a process when ASSAY_BENCH_TRUTH names a folder; else nothing.
class Log {
 public:
  Log() {
    const char* folder = std::getenv("ASSAY_BENCH_TRUTH");
    if (folder != nullptr) folder_ = folder;
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // For prepare(): memory must not be allocated inside an interval.
  void make_ready() {
    if (folder_.empty() || places_ != nullptr) return;
    cuda_common::expect(cudaMalloc(&places_, capacity * sizeof(InKernel)),
                        "allocating the log of times");
    cuda_common::expect(cudaMemset(places_, 0, capacity * sizeof(InKernel)),
                        "clearing the log of times");
    labels_.assign(capacity, {});
  }

  // Where the next call writes; nullptr when nothing is kept. A call that is captured into a graph
  // has one place for all replays.
  InKernel* next(const char* subject, std::int64_t value) {
    if (places_ == nullptr) return nullptr;
    const std::size_t place = calls_++ % capacity;
    labels_[place] = {subject, value};
    return places_ + place;
  }

  // After everything: FOLDER/truth-PID.csv, one line per call, in the order of the calls.
  void save() const {
    if (places_ == nullptr || calls_ == 0) return;
    std::vector<InKernel> kept(capacity);
    const cudaError_t status =
        cudaMemcpy(kept.data(), places_, capacity * sizeof(InKernel), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
      std::fprintf(stderr, "the log of times could not be read: %s\n", cudaGetErrorString(status));
      return;
    }
    std::ofstream file(folder_ + "/truth-" + std::to_string(getpid()) + ".csv");
    file << "call,subject,value,start_ns,end_ns\n";
    const std::size_t first = calls_ > capacity ? calls_ - capacity : 0;
    for (std::size_t call = first; call < calls_; ++call) {
      const std::size_t place = call % capacity;
      if (kept[place].end_ns == 0) continue;  // never ran
      file << call << ',' << labels_[place].first << ',' << labels_[place].second << ','
           << kept[place].start_ns << ',' << kept[place].end_ns << '\n';
    }
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 17;
  std::string folder_;
  InKernel* places_ = nullptr;
  std::vector<std::pair<const char*, std::int64_t>> labels_;
  std::size_t calls_ = 0;
};

}  // namespace truth
