// SPDX-License-Identifier: MIT
#include "assay/run/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "assay/base/error.hpp"

extern char** environ;

namespace assay::run {
namespace {

// A descriptor that closes itself.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// What runs in the child before exec: async-signal-safe calls only. Returns errno of the step that
// failed.
int become(const Launch& launch, const cpu_set_t* cores, int log_fd, pid_t parent, char** arguments,
           char** environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before the line above took hold
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (cores != nullptr && sched_setaffinity(0, sizeof *cores, cores) != 0) return errno;
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return errno;
  if (dup2(log_fd, STDOUT_FILENO) < 0 || dup2(log_fd, STDERR_FILENO) < 0) return errno;
  for (const int fd : launch.inherited_fds) {
    const int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC) < 0) return errno;
  }
  execve(launch.program.c_str(), arguments, environment);
  return errno;
}

}  // namespace

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const auto& [name, value] : added) {
      replaced = replaced || (text.size() > name.size() && text[name.size()] == '=' &&
                              text.substr(0, name.size()) == name);
    }
    if (!replaced) entries.emplace_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::string Ended::text() const {
  if (by_signal) {
    return "was killed by signal " + std::to_string(code) + " (" + strsignal(code) + ")";
  }
  return "exited with status " + std::to_string(code);
}

Process Process::start(const Launch& launch) {
  const Fd log(open(launch.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log.get() < 0) {
    throw Error(ErrorKind::write,
                "cannot open the log " + launch.log.string() + ": " + std::strerror(errno), errno);
  }
  // exec closes its end of this pipe; an errno comes through it only if exec failed.
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ErrorKind::worker,
                std::string("cannot make a pipe for a worker: ") + std::strerror(errno), errno);
  }
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);

  // All that allocates happens before fork.
  std::vector<std::string> argument_texts{launch.program.string()};
  argument_texts.insert(argument_texts.end(), launch.arguments.begin(), launch.arguments.end());
  std::vector<std::string> environment_texts = environment_with(launch.environment);
  const std::vector<char*> arguments = pointers_to(argument_texts);
  const std::vector<char*> environment = pointers_to(environment_texts);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const int core : launch.cores) CPU_SET(static_cast<std::size_t>(core), &cores);
  const pid_t parent = getpid();

  const pid_t pid = fork();
  if (pid < 0) {
    throw Error(ErrorKind::worker, std::string("cannot start a worker: ") + std::strerror(errno),
                errno);
  }
  if (pid == 0) {
    const int failed =
        become(launch, launch.cores.empty() ? nullptr : &cores, log.get(), parent,
               const_cast<char**>(arguments.data()), const_cast<char**>(environment.data()));
    [[maybe_unused]] const auto told = write(write_end.get(), &failed, sizeof failed);
    _exit(127);
  }
  write_end.close();
  int failed = 0;
  ssize_t got = 0;
  do {
    got = read(read_end.get(), &failed, sizeof failed);
  } while (got < 0 && errno == EINTR);
  Process process(pid);
  if (got == static_cast<ssize_t>(sizeof failed)) {
    process.kill();
    throw Error(ErrorKind::worker,
                "cannot execute " + launch.program.string() + ": " + std::strerror(failed), failed);
  }
  return process;
}

Process::Process(Process&& other) noexcept : pid_(other.pid_), ended_(other.ended_) {
  other.pid_ = -1;
}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    ended_ = other.ended_;
  }
  return *this;
}

Process::~Process() { kill(); }

std::optional<Ended> Process::wait(std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (!ended_ && pid_ > 0) {
    int status = 0;
    const pid_t reaped = waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_) {
      ended_ =
          WIFSIGNALED(status) ? Ended{true, WTERMSIG(status)} : Ended{false, WEXITSTATUS(status)};
      break;
    }
    if (reaped < 0 && errno != EINTR) break;
    if (std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ended_;
}

void Process::kill() noexcept {
  if (pid_ <= 0) return;
  // Also when the child itself has ended: it may have left children of its own in the group.
  ::kill(-pid_, SIGKILL);
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
}

}  // namespace assay::run
