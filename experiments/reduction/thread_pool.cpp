// SPDX-License-Identifier: MIT
#include "thread_pool.hpp"

namespace reduction {
namespace {

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Until value is no longer `old`; returns the new one.
template <typename T>
T wait_for_change(const std::atomic<T>& value, T old) {
  constexpr int spins = 1000;  // a pause is 10 to 140 cycles: some 10 to 50 µs
  for (int spin = 0; spin < spins; ++spin) {
    const T now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int threads) : results_(static_cast<std::size_t>(threads)) {
  for (int thread = 1; thread < threads; ++thread)
    threads_.emplace_back([this, thread] { work(thread); });
}

ThreadPool::~ThreadPool() {
  closing_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(const std::function<void(int)>& task) {
  if (threads_.empty()) return task(0);
  task_ = &task;
  left_.store(size() - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  task(0);
  for (int left = left_.load(std::memory_order_acquire); left != 0;)
    left = wait_for_change(left_, left);
}

void ThreadPool::work(int thread) {
  std::uint32_t round = 0;
  for (;;) {
    round = wait_for_change(round_, round);
    if (closing_.load(std::memory_order_relaxed)) return;
    (*task_)(thread);
    left_.fetch_sub(1, std::memory_order_acq_rel);
    left_.notify_one();
  }
}

}  // namespace reduction
