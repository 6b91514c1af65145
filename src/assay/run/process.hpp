// SPDX-License-Identifier: MIT
//
// Process: one child process of the parent, started with its own affinity, logs and inherited
// descriptors, and surely ended.
//
// The child leads a process group of its own, so that Ctrl-C at a terminal reaches the parent only,
// which then closes the record; and it dies with the parent, so that no worker keeps burning a core
// after a crash of ours.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::run {

struct Launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to the parent's
  std::vector<int> inherited_fds;  // kept open over exec; all else is close-on-exec
  std::vector<int> cores;          // affinity; empty: the parent's
  std::filesystem::path log;       // stdout and stderr, appended
};

// How a child ended.
struct Ended {
  bool by_signal = false;
  int code = 0;  // exit status, or the signal's number
  // "was killed by signal 11 (Segmentation fault)", "exited with status 3"
  std::string text() const;
};

// The parent's environment with these added, or in place of those of the same names.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added);
// To each text, and a null pointer last, as execve takes them; valid as long as the texts are.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

class Process {
 public:
  // Throws Error{worker} with errno as native_code if the program cannot be executed, Error{write}
  // if the log cannot be opened.
  static Process start(const Launch& launch);

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills the group and reaps the child if it still runs

  // Waits until the child ends, at most so long.
  std::optional<Ended> wait(std::chrono::milliseconds at_most);
  // SIGKILL to the whole group, then reaps.
  void kill() noexcept;
  pid_t pid() const noexcept { return pid_; }

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<Ended> ended_;
};

}  // namespace assay::run
