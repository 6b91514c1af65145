// SPDX-License-Identifier: MIT
//
// A small pool of threads that live as long as it does: starting a thread costs more than adding up
// a million floats. The calling thread is thread 0 and does its share.
//
// A waiting thread spins for some microseconds, because calls come one upon the other while a
// sample is taken, and then sleeps in the kernel, because between samples other subjects run on the
// same cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace reduction {

class ThreadPool {
 public:
  // threads ≥ 1, the caller included.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const noexcept { return static_cast<int>(results_.size()); }
  // Calls task(0) … task(size − 1), each on its own thread, and returns when all are done.
  void run(const std::function<void(int)>& task);
  // A place for each thread's part of the result.
  float& result(int thread) noexcept { return results_[static_cast<std::size_t>(thread)].value; }

 private:
  // A cache line of its own each, so that threads do not write to one another's.
  struct alignas(64) Result {
    float value = 0;
  };
  void work(int thread);

  std::vector<Result> results_;
  const std::function<void(int)>* task_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> round_{0};
  alignas(64) std::atomic<int> left_{0};
  std::atomic<bool> closing_{false};
  std::vector<std::thread> threads_;
};

}  // namespace reduction
