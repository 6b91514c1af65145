// SPDX-License-Identifier: MIT
#include "assay/device/cuda/gate.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <new>

#include "assay/base/time.hpp"

namespace assay::device::cuda {

Gate::Gate(const Driver& driver, double patience_s)
    : driver_(&driver), patience_ns_(static_cast<std::int64_t>(patience_s * 1e9)) {
  void* memory = nullptr;
  driver.check(driver.cuMemHostAlloc(&memory, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP),
               "cuMemHostAlloc");
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  passed_ = new (memory) std::atomic<std::uint32_t>(0);
  driver.check(driver.cuMemHostGetDevicePointer(&device_passed_, memory, 0),
               "cuMemHostGetDevicePointer");
  // Signals are the program's affair, not the watchman's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watchman_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Gate::~Gate() {
  ends_ = true;
  watchman_.join();
  driver_->cuMemFreeHost(passed_);
}

void Gate::close(CUstream stream) {
  const std::uint32_t ticket = ++ticket_;
  closed_ns_ = monotonic_ns();
  driver_->check(
      driver_->cuStreamWaitValue32(stream, device_passed_, ticket, CU_STREAM_WAIT_VALUE_GEQ),
      "cuStreamWaitValue32");
}

bool Gate::open() {
  let_pass(ticket_);
  return closed_ns_.exchange(0) != 0;
}

// Never backwards: the watchman may be late by a gate.
void Gate::let_pass(std::uint32_t ticket) {
  std::uint32_t passed = *passed_;
  while (passed < ticket && !passed_->compare_exchange_weak(passed, ticket)) {
  }
}

// Looks now and then instead of being woken: waking a thread at every interval would cost more than
// the interval's own calls.
void Gate::watch() {
  while (!ends_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    // The ticket after the time: it is that gate's, or a later one's that the exchange below finds.
    std::int64_t since = closed_ns_;
    const std::uint32_t ticket = ticket_;
    if (since == 0 || monotonic_ns() - since < patience_ns_) continue;
    // Only if it is still the same gate: then the ticket is its own.
    if (closed_ns_.compare_exchange_strong(since, 0)) let_pass(ticket);
  }
}

}  // namespace assay::device::cuda
