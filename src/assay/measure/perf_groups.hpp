// SPDX-License-Identifier: MIT
//
// Events of the processor and the kernel, counted around calls, in groups as large as the kernel
// takes them: what is in one group is counted in the same calls. Groups are counted one after the
// other, each in calls of its own, so that nothing has to take turns on a quiet machine. Internal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/base/perf_event.hpp"
#include "assay/measure/counted_calls.hpp"

namespace assay::measure {

class PerfGroups {
 public:
  // Opens them, stopped, for the calling thread and those that it starts from now on: before any
  // other thread is there.
  explicit PerfGroups(const std::vector<PerfEvent>& events);

  std::size_t size() const noexcept { return leaders_.size(); }
  // Around the calls in which that group is to be counted.
  class Window final : public CountingWindow {
   public:
    explicit Window(const PerfCounter& leader) : leader_(leader) {}
    void open() override { leader_.start(); }
    void close() override { leader_.stop(); }

   private:
    const PerfCounter& leader_;
  };
  Window window(std::size_t group) const { return Window(counters_[leaders_[group]]); }

  // "assay-counts/1": a list `events` in the order of the events, each with its `event`, `group`
  // and `reading`. Throws Error{write}.
  void write(const std::filesystem::path& file) const;

 private:
  std::vector<PerfEvent> events_;
  std::vector<PerfCounter> counters_;
  std::vector<std::size_t> group_of_;  // beside them
  std::vector<std::size_t> leaders_;   // of each group
};

}  // namespace assay::measure
