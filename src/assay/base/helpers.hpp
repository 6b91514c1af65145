// SPDX-License-Identifier: MIT
//
// Helpers: threads for the library's own work on large arrays (filling, converting, comparing),
// which would else take longer than the measurement. They live for one job, so that none is about
// while a subject is timed, and run on the cores that they were given, whatever the calling thread
// is bound to. Internal.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <future>
#include <system_error>
#include <vector>

namespace assay {

class Helpers {
 public:
  Helpers() = default;  // none: the calling thread alone
  // On these cores, at most `most` threads at a time, the calling one included: beyond that, memory
  // is what such work waits for. No cores: none.
  explicit Helpers(const std::vector<int>& cores, int most = 16);
  // On all cores that the calling thread may run on now.
  static Helpers of_this_thread(int most = 16);
  // So many threads, however few cores there are: that results do not depend on it.
  static Helpers of_threads(int threads);

  // Calls work(first, last) for ranges that cover [0, count) once, in no order, each at least
  // `smallest` long where there are several. Which ranges there are depends on the helpers: a
  // result must not. What the work throws goes through, after all of it has ended.
  template <typename Work>
  void share(std::int64_t count, std::int64_t smallest, const Work& work) const {
    const std::int64_t parts =
        std::clamp<std::int64_t>(count / std::max<std::int64_t>(smallest, 1), 1, threads_);
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
  int threads_ = 1;
};

}  // namespace assay
