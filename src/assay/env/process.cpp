// SPDX-License-Identifier: MIT
#include "assay/env/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace assay::env {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      read_end = ends[0];
      write_end = ends[1];
    }
  }
  ~Pipe() {
    close(read_end);
    close(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

int spawn(pid_t& child, std::vector<std::string> command, std::vector<std::string> variables,
          const Pipe& out, const Pipe& err) {
  auto arguments = pointers(command);
  auto environment = pointers(variables);
  environment.pop_back();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  const int code =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// False at the end of the stream.
bool take(int fd, std::string& text) {
  char buffer[1 << 14];
  const auto size = ::read(fd, buffer, sizeof buffer);
  if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

// True if both streams came to their end.
bool collect(Pipe& out, Pipe& err, ProcessOutput& output, std::uint64_t limit_bytes,
             Clock::time_point deadline) {
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    std::array<pollfd, 2> fds = {{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::max<long>(0, left)));
    if (ready == 0) {
      output.timed_out = true;
      return false;
    }
    if (ready < 0) continue;
    if (fds[0].revents != 0 && !take(out.read_end, output.out)) Pipe::close(out.read_end);
    if (fds[1].revents != 0 && !take(err.read_end, output.err)) Pipe::close(err.read_end);
    if (output.out.size() > limit_bytes || output.err.size() > limit_bytes) {
      output.is_cut = true;
      return false;
    }
  }
  return true;
}

}  // namespace

ProcessOutput run_process(const std::vector<std::string>& command,
                          const std::vector<std::string>& variables, std::uint64_t limit_bytes,
                          std::chrono::milliseconds time_limit) {
  ProcessOutput output;
  Pipe out;
  Pipe err;
  if (out.read_end < 0 || err.read_end < 0) {
    output.start_errno = EMFILE;
    return output;
  }
  pid_t child = -1;
  output.start_errno = spawn(child, command, variables, out, err);
  if (output.start_errno != 0) return output;
  Pipe::close(out.write_end);
  Pipe::close(err.write_end);
  if (!collect(out, err, output, limit_bytes, Clock::now() + time_limit)) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) output.exit_status = WEXITSTATUS(status);
  if (output.out.size() > limit_bytes) output.out.resize(limit_bytes);
  return output;
}

}  // namespace assay::env
