// SPDX-License-Identifier: MIT
//
// Team: threads that each have a core of their own and begin together.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::probe {

class Team {
 public:
  // A thread on each of the cores.
  explicit Team(const std::vector<int>& cores);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  // work(i) on thread i of `threads`, which run on the cores `first`, `first` + 1, … around the
  // list. They wait for each other, then begin. Returns the seconds from the first's begin to the
  // last's end. Throws Error{device} if a thread cannot be bound to its core, and what work throws.
  double run(std::int64_t threads, std::size_t first, const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t own, int core);

  struct Timed {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::exception_ptr trouble;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t job_ = 0;  // counts; 0: none yet
  bool is_over_ = false;
  std::size_t threads_ = 0;
  std::size_t first_ = 0;
  std::size_t done_ = 0;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::size_t> arrived_{0};
  std::vector<Timed> timed_;
  std::vector<std::thread> members_;
};

}  // namespace assay::probe
