// SPDX-License-Identifier: MIT
//
// Counters of the processor and of the kernel, by perf_event_open(2): the one place that asks for
// them. An event is the numbers that the kernel takes; what they are called is for others to know.
// Internal: a user's program never sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/base/reading.hpp"

namespace assay {

struct PerfEvent {
  std::uint32_t type = 0;  // PERF_TYPE_HARDWARE, …
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  // Which instructions count: those of programs, and those of the kernel for them. Never those of a
  // hypervisor.
  bool in_user = true;
  bool in_kernel = true;

  // "TYPE:CONFIG:CONFIG1:CONFIG2:MODES", the numbers in hexadecimal, modes one or both of "u", "k".
  std::string text() const;
  // The inverse. Throws Error{usage}.
  static PerfEvent parse(std::string_view text);
};

PerfEvent processor_cycles();

class PerfCounter {
 public:
  // Whose events: of the calling thread, or also of threads that it starts from then on.
  enum class Of { thread, thread_and_its_children };
  // Counts at once; or waits for start(), in the group of `leader` where that is given: events of a
  // group are counted together or not at all.
  static PerfCounter of(const PerfEvent& event, Of whose = Of::thread);
  static PerfCounter stopped(const PerfEvent& event, Of whose, const PerfCounter* leader);

  PerfCounter(PerfCounter&& other) noexcept;
  PerfCounter& operator=(PerfCounter&& other) noexcept;
  ~PerfCounter();

  bool is_open() const noexcept { return fd_ >= 0; }
  // "not-permitted" (perf_event_paranoid without CAP_PERFMON, or a sandbox), "not-supported" (the
  // machine shows no such counter: most virtual ones show none), "no-room" (no place for it, beside
  // those of its group). Only of one that is not open.
  const Missing& missing() const noexcept { return why_; }

  // Of a leader: with its group. Do nothing where it is not open.
  void start() const;
  void stop() const;

  struct Count {
    std::uint64_t count = 0;
    std::uint64_t enabled_ns = 0;  // in which it was to count
    std::uint64_t running_ns = 0;  // in which it did: less where counters take turns
  };
  Reading<Count> read() const;

 private:
  PerfCounter(const PerfEvent& event, Of whose, int leader_fd, bool is_stopped);
  int fd_ = -1;
  Missing why_;
};

}  // namespace assay
