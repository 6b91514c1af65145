// SPDX-License-Identifier: MIT
//
// TimedProcess: a command that is run again and again, each run timed from before its process is
// made until its end has been reaped.
//
// What is in the interval besides the command is kept small and constant: arguments, environment
// and descriptors are ready before it begins; the process is made by clone with CLONE_VM and
// CLONE_VFORK (what posix_spawn does), because fork copies the parent's page tables and so takes
// longer as the parent's memory grows; and the parent sleeps until SIGCHLD comes. What is left is
// the floor, the time of a command that does nothing.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/run/process.hpp"

namespace assay::run {

// A file without a name, in memory: emptied before each run, written by the command.
class Scratch {
 public:
  // Throws Error{write}.
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  int fd() const noexcept { return fd_; }
  // A path to it for this process.
  std::string path() const;
  void clear() const;
  std::uintmax_t size_bytes() const;
  // Its last bytes.
  std::string tail(std::size_t most_bytes) const;

 private:
  int fd_ = -1;
};

struct TimedLaunch {
  std::filesystem::path program;
  std::vector<std::string> words;  // argv, the program as it was written first
  std::vector<std::pair<std::string, std::string>> environment;  // added to the parent's
  std::filesystem::path directory;                               // where it runs
  std::vector<int> cores;                                        // affinity; empty: the parent's
  int stdout_fd = -1;
  int stderr_fd = -1;
};

struct RunLimits {
  double timeout_s = 60;
  std::uintmax_t output_bytes = std::uintmax_t{256} << 20;  // of stdout and stderr each
  std::function<bool()> interrupted;
};

struct TimedRun {
  enum class End { by_itself, not_executed, timed_out, printed_too_much, interrupted };
  End end = End::by_itself;
  Ended ended;                // by_itself
  int exec_errno = 0;         // not_executed
  std::int64_t start_ns = 0;  // CLOCK_MONOTONIC
  double interval_ns = 0;
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  Reading<std::int64_t> max_rss_bytes = Missing{"not-measured", ""};
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
};

class TimedProcess {
 public:
  explicit TimedProcess(TimedLaunch launch);
  TimedProcess(TimedProcess&&) noexcept;
  TimedProcess& operator=(TimedProcess&&) noexcept;
  ~TimedProcess();

  // One run. When it returns no process of the command's group is left. Call from the only thread:
  // signals are held back meanwhile. Throws Error{worker} if no process can be made.
  TimedRun run(const RunLimits& limits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "exited with status 3", "cannot be executed: No such file or directory", …; empty if the run
// ended with status 0.
std::string trouble_with(const TimedRun& run, const RunLimits& limits);

}  // namespace assay::run
