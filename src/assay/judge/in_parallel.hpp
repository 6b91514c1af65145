// SPDX-License-Identifier: MIT
//
// Work on the cells of a plan, on several cores. What is computed of a cell depends on that cell
// alone, so the result is the same for any number of threads. Internal to judge/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace assay::judge::detail {

// A thread costs tens of microseconds, and a cell is judged in a few milliseconds at most.
inline constexpr std::size_t kFewestCellsForAThread = 16;

// Calls work(first, last) for ranges that cover [0, count) once, in no order. What the work throws
// goes through, after all of it has ended.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  const std::size_t threads = std::clamp<std::size_t>(
      count / kFewestCellsForAThread, 1, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> parts;
  for (std::size_t i = 1; i < threads; ++i) {
    const std::size_t first = i * count / threads;
    const std::size_t last = (i + 1) * count / threads;
    try {
      parts.push_back(std::async(std::launch::async, [&work, first, last] { work(first, last); }));
    } catch (const std::system_error&) {
      work(first, last);  // no thread to be had
    }
  }
  work(std::size_t{0}, count / threads);
  for (auto& part : parts) part.get();
}

}  // namespace assay::judge::detail
