// SPDX-License-Identifier: MIT
//
// Running a program for what it prints: arguments as they are, no shell, a limit on time and
// output. Internal to env.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::env {

struct ProcessOutput {
  int start_errno = 0;   // why it could not be started; 0: it was
  int exit_status = -1;  // −1: ended by a signal, or not started
  bool timed_out = false;
  bool is_cut = false;  // it printed more than the limit; `out` is the beginning
  std::string out;
  std::string err;
};

// Runs command[0], looked up in PATH, with the variables added to the environment ("NAME=value").
// Waits for its end; ends it when time is over or it has printed more than the limit.
ProcessOutput run_process(const std::vector<std::string>& command,
                          const std::vector<std::string>& variables, std::uint64_t limit_bytes,
                          std::chrono::milliseconds time_limit);

}  // namespace assay::env
