// SPDX-License-Identifier: MIT
//
// Crew: threads for the library's own work on large arrays (filling, converting, comparing), which
// would else take longer than the measurement. They live for one job, so that none is about while a
// subject is timed, and run on the cores that the crew was made for, whatever the calling thread is
// bound to since. Internal.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <future>
#include <system_error>
#include <vector>

namespace assay {

class Crew {
 public:
  Crew() = default;  // the calling thread alone
  // All cores that the calling thread may run on now, at most `most` of them at a time: beyond
  // that, memory is what such work waits for.
  static Crew of_this_thread(int most = 16);
  explicit Crew(const cpu_set_t& cores, int most = 16);
  // So many threads, however few cores there are: that results do not depend on it.
  static Crew of_threads(int threads);

  int size() const noexcept { return size_; }

  // Calls work(first, last) for ranges that cover [0, count) once, in no order, each at least
  // `smallest` long where there are several. Which ranges there are depends on the crew: a result
  // must not. What the work throws goes through, after all of it has ended.
  template <typename Work>
  void share(std::int64_t count, std::int64_t smallest, const Work& work) const {
    const std::int64_t parts =
        std::clamp<std::int64_t>(count / std::max<std::int64_t>(smallest, 1), 1, size_);
    const auto bound = [&](std::int64_t part) {
      return count / parts * part + std::min(part, count % parts);
    };
    std::vector<std::future<void>> others;
    std::exception_ptr failed;
    const auto attempt = [&](auto&& step) {
      try {
        step();
      } catch (...) {
        if (!failed) failed = std::current_exception();
      }
    };
    for (std::int64_t part = 1; part < parts; ++part) {
      const std::int64_t first = bound(part);
      const std::int64_t last = bound(part + 1);
      try {
        others.push_back(std::async(std::launch::async, [this, &work, first, last] {
          join_cores();
          work(first, last);
        }));
      } catch (const std::system_error&) {  // no thread to be had
        attempt([&] { work(first, last); });
      }
    }
    attempt([&] { work(std::int64_t{0}, bound(1)); });
    for (auto& other : others) attempt([&] { other.get(); });
    if (failed) std::rethrow_exception(failed);
  }

 private:
  void join_cores() const noexcept;

  cpu_set_t cores_{};
  int size_ = 1;
};

}  // namespace assay
