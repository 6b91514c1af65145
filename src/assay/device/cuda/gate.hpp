// SPDX-License-Identifier: MIT
//
// Gate: holds a stream back until the host has enqueued all of an interval's work, so that the
// device never waits for the host inside it.
//
// The stream waits for a value in host memory (cuStreamWaitValue32), which occupies no
// multiprocessor. What waits for the stream behind a closed gate waits for ever: a subject that
// synchronises, or a queue that is full. So a watchman opens a gate that stays closed too long, and
// the interval is known to be spoiled. Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "assay/device/cuda/driver.hpp"

namespace assay::device::cuda {

class Gate {
 public:
  // Throws Error{device}. patience_s: how long a gate may stay closed.
  Gate(const Driver& driver, double patience_s);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // What is enqueued on the stream from now on waits for open().
  void close(CUstream stream);
  // Returns whether the gate was still closed: false if the watchman opened it.
  bool open();

 private:
  void watch();
  void let_pass(std::uint32_t ticket);

  const Driver* driver_;
  std::int64_t patience_ns_;
  std::atomic<std::uint32_t>* passed_ = nullptr;  // in memory that the device sees
  CUdeviceptr device_passed_ = 0;
  std::atomic<std::uint32_t> ticket_{0};
  std::atomic<std::int64_t> closed_ns_{0};  // 0: open
  std::atomic<bool> ends_{false};
  std::thread watchman_;
};

}  // namespace assay::device::cuda
