// SPDX-License-Identifier: MIT
#include "team.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"

namespace assay::probe {
namespace {

void bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  const int trouble = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  if (trouble == 0) return;
  throw Error(ErrorKind::device,
              "cannot bind a thread to core " + std::to_string(core) + ": " +
                  std::strerror(trouble) + "; are the cores still those that Assay started with?",
              trouble);
}

}  // namespace

Team::Team(const std::vector<int>& cores) : timed_(cores.size()) {
  for (std::size_t i = 0; i < cores.size(); ++i) {
    members_.emplace_back([this, i, core = cores[i]] { serve(i, core); });
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& member : members_) member.join();
}

double Team::run(std::int64_t threads, std::size_t first,
                 const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  threads_ = static_cast<std::size_t>(threads);
  first_ = first % members_.size();
  done_ = 0;
  arrived_ = 0;
  work_ = &work;
  for (Timed& timed : timed_) timed = {};
  ++job_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return done_ == members_.size(); });
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  for (std::size_t i = 0; i < threads_; ++i) {
    const Timed& timed = timed_[i];
    if (timed.trouble) std::rethrow_exception(timed.trouble);
    if (i == 0 || timed.start_ns < start_ns) start_ns = timed.start_ns;
    end_ns = std::max(end_ns, timed.end_ns);
  }
  return static_cast<double>(end_ns - start_ns) * 1e-9;
}

void Team::serve(std::size_t own, int core) {
  std::exception_ptr cannot_bind;
  try {
    bind_to(core);
  } catch (...) {
    cannot_bind = std::current_exception();
  }
  for (std::uint64_t last = 0;;) {
    std::size_t number = 0;
    const std::function<void(std::size_t)>* work = nullptr;
    std::size_t threads = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_over_ || job_ != last; });
      if (is_over_) return;
      last = job_;
      number = (own + members_.size() - first_) % members_.size();
      work = work_;
      threads = threads_;
    }
    if (number < threads) {
      Timed& timed = timed_[number];
      timed.trouble = cannot_bind;
      // Each has a core of its own, so waiting costs the others nothing, and no wake-up is in the
      // time. The clock is read on the near side of the work by whoever begins first.
      arrived_.fetch_add(1);
      while (arrived_.load() < threads) sched_yield();
      timed.start_ns = monotonic_ns();
      if (!cannot_bind) {
        try {
          (*work)(number);
        } catch (...) {
          timed.trouble = std::current_exception();
        }
      }
      timed.end_ns = monotonic_ns();
    }
    const std::lock_guard lock(mutex_);
    if (++done_ == members_.size()) changed_.notify_all();
  }
}

}  // namespace assay::probe
