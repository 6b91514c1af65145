// SPDX-License-Identifier: MIT
#include "assay/run/timed_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"

namespace assay::run {
namespace {

// How often the parent looks whether a limit was passed: rarely enough to disturb nothing.
constexpr std::int64_t look_every_ns = 200'000'000;
// Enough for the calls between clone and exec; glibc's posix_spawn takes 32 KiB and the arguments.
// Two seconds at most before a machine without processes to give is a failure.
constexpr int clone_attempts = 20;
constexpr std::chrono::milliseconds clone_pause{100};
constexpr std::size_t stack_bytes = std::size_t{64} << 10;

std::int64_t ns_of(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1'000;
}

// High-water mark of this process. A child that shares its memory until exec inherits it as its
// own, so that a smaller one of the command cannot be told.
std::int64_t own_max_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

void keep_usage(const rusage& usage, std::int64_t parents_rss_bytes, TimedRun& run) {
  run.user_ns = ns_of(usage.ru_utime);
  run.system_ns = ns_of(usage.ru_stime);
  const std::int64_t rss_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  if (rss_bytes > parents_rss_bytes) {
    run.max_rss_bytes = rss_bytes;
  } else {
    run.max_rss_bytes = Missing{"below-the-parents", "no larger than the parent's own memory"};
  }
  run.minor_faults = usage.ru_minflt;
  run.major_faults = usage.ru_majflt;
  run.voluntary_switches = usage.ru_nvcsw;
  run.involuntary_switches = usage.ru_nivcsw;
}

// All signals held back as long as it lives; those that ask to stop can be waited for.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
    sigemptyset(&waited_for_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&waited_for_, signal);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() {
    // One that was taken out of the queue is delivered after all: whoever handles it, does.
    if (taken_ != 0) raise(taken_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  enum class Came { nothing, child, stop };
  Came wait(std::int64_t at_most_ns) {
    timespec time{};
    time.tv_sec = at_most_ns / 1'000'000'000;
    time.tv_nsec = at_most_ns % 1'000'000'000;
    const int signal = sigtimedwait(&waited_for_, nullptr, &time);
    if (signal <= 0) return Came::nothing;
    if (signal == SIGCHLD) return Came::child;  // or one of an earlier child
    taken_ = signal;
    return Came::stop;
  }

 private:
  sigset_t before_{};
  sigset_t waited_for_{};
  int taken_ = 0;
};

// What the command left running in its group, which would disturb the next run: killed, and waited
// for, since the end of a large process takes time. This process adopts orphans to that purpose.
void end_group(pid_t group, HeldSignals& held) {
  constexpr std::int64_t patience_ns =
      1'000'000'000;  // one in the middle of a read from a dead disk
  ::kill(-group, SIGKILL);
  const std::int64_t begin_ns = monotonic_ns();
  for (;;) {
    const pid_t reaped = waitpid(-group, nullptr, WNOHANG);
    if (reaped > 0) continue;
    if (reaped < 0 || monotonic_ns() - begin_ns > patience_ns) return;
    if (held.wait(patience_ns / 100) == HeldSignals::Came::stop) return;
  }
}

}  // namespace

Scratch::Scratch() : fd_(memfd_create("assay-scratch", MFD_CLOEXEC)) {
  if (fd_ < 0) {
    throw Error(
        ErrorKind::write,
        std::string("cannot make a file in memory for a command's output: ") + std::strerror(errno),
        errno);
  }
}
Scratch::~Scratch() { ::close(fd_); }

std::string Scratch::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

void Scratch::clear() const {
  if (ftruncate(fd_, 0) != 0 || lseek(fd_, 0, SEEK_SET) != 0) {
    throw Error(ErrorKind::write,
                std::string("cannot empty a file in memory: ") + std::strerror(errno), errno);
  }
}

std::uintmax_t Scratch::size_bytes() const {
  struct stat status {};
  return fstat(fd_, &status) == 0 ? static_cast<std::uintmax_t>(status.st_size) : 0;
}

std::string Scratch::tail(std::size_t most_bytes) const {
  const std::uintmax_t size = size_bytes();
  const auto wanted = static_cast<std::size_t>(std::min<std::uintmax_t>(size, most_bytes));
  std::string text(wanted, '\0');
  const ssize_t got = pread(fd_, text.data(), wanted, static_cast<off_t>(size - wanted));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

struct TimedProcess::State {
  TimedLaunch launch;
  std::string program;
  std::string directory;
  std::vector<std::string> environment_texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  cpu_set_t cores{};
  int nothing = -1;  // /dev/null
  std::vector<char> stack;
  pid_t parent = 0;
  // Written by the child, which shares this memory until exec.
  volatile int failed = 0;

  ~State() {
    if (nothing >= 0) ::close(nothing);
  }
  int become();
};

// What runs in the child before exec: async-signal-safe calls only, and nothing that a later look
// at this memory would notice. Returns only if a step failed, with its errno.
__attribute__((no_sanitize_address)) int TimedProcess::State::become() {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return ESRCH;  // it died before the line above took hold
  struct sigaction as_ever {};
  as_ever.sa_handler = SIG_DFL;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD}) {
    sigaction(signal, &as_ever, nullptr);
  }
  if (!launch.cores.empty() && sched_setaffinity(0, sizeof cores, &cores) != 0) return errno;
  if (dup2(nothing, STDIN_FILENO) < 0 || dup2(launch.stdout_fd, STDOUT_FILENO) < 0 ||
      dup2(launch.stderr_fd, STDERR_FILENO) < 0) {
    return errno;
  }
  if (chdir(directory.c_str()) != 0) return errno;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(program.c_str(), arguments.data(), environment.data());
  return errno;
}

TimedProcess::TimedProcess(TimedLaunch launch) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.launch = std::move(launch);
  ASSAY_EXPECTS(!state.launch.words.empty());
  ASSAY_EXPECTS(state.launch.stdout_fd > STDERR_FILENO && state.launch.stderr_fd > STDERR_FILENO);
  state.program = state.launch.program.string();
  state.directory = state.launch.directory.string();
  state.environment_texts = environment_with(state.launch.environment);
  state.arguments = pointers_to(state.launch.words);
  state.environment = pointers_to(state.environment_texts);
  CPU_ZERO(&state.cores);
  for (const int core : state.launch.cores) CPU_SET(static_cast<std::size_t>(core), &state.cores);
  state.stack.resize(stack_bytes);
  // Whoever started this process may have had it ignored, and then nobody could wait for a child.
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  state.nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (state.nothing < 0) {
    throw Error(ErrorKind::worker, std::string("cannot open /dev/null: ") + std::strerror(errno),
                errno);
  }
}
TimedProcess::TimedProcess(TimedProcess&&) noexcept = default;
TimedProcess& TimedProcess::operator=(TimedProcess&&) noexcept = default;
TimedProcess::~TimedProcess() = default;

TimedRun TimedProcess::run(const RunLimits& limits) {
  State& state = *state_;
  state.parent = getpid();
  state.failed = 0;
  const std::int64_t parents_rss_bytes = own_max_rss_bytes();
  const auto child = [](void* of_state) {
    auto* own = static_cast<State*>(of_state);
    own->failed = own->become();
    _exit(127);
    return 127;
  };
  // The stack grows downwards from an aligned end.
  auto top = reinterpret_cast<std::uintptr_t>(state.stack.data() + state.stack.size());
  top -= top % 64;

  TimedRun run;
  HeldSignals held;
  if (limits.interrupted && limits.interrupted()) {
    run.end = TimedRun::End::interrupted;
    return run;
  }
  pid_t pid = -1;
  int trouble = 0;
  for (int attempt = 0; attempt < clone_attempts; ++attempt) {
    run.start_ns = monotonic_ns();
    pid = clone(child, reinterpret_cast<void*>(top), CLONE_VM | CLONE_VFORK | SIGCHLD, &state);
    // Short of processes or memory for a moment: the machine's trouble, and no reason to end a run.
    trouble = errno;
    if (pid >= 0 || (trouble != EAGAIN && trouble != ENOMEM)) break;
    std::this_thread::sleep_for(clone_pause);
  }
  if (pid < 0) {
    throw Error(ErrorKind::worker,
                "cannot make a process for " + state.program + ": " + std::strerror(trouble),
                trouble);
  }
  const double limit_ns = std::min(limits.timeout_s * 1e9, 9e18);
  const auto is_over = [&](int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 &&
           static_cast<std::uintmax_t>(status.st_size) > limits.output_bytes;
  };
  int status = 0;
  rusage usage{};
  std::int64_t end_ns = 0;
  for (bool killed = false;;) {
    const pid_t reaped = wait4(pid, &status, killed ? 0 : WNOHANG, &usage);
    end_ns = monotonic_ns();
    if (reaped == pid) break;
    if (reaped < 0 && errno != EINTR) {
      throw Error(ErrorKind::worker,
                  "cannot wait for " + state.program + ": " + std::strerror(errno), errno);
    }
    if (killed) continue;
    const double left_ns = limit_ns - static_cast<double>(end_ns - run.start_ns);
    const auto came = left_ns <= 0 ? HeldSignals::Came::nothing
                                   : held.wait(static_cast<std::int64_t>(
                                         std::min(left_ns, static_cast<double>(look_every_ns))));
    if (came == HeldSignals::Came::child) continue;
    if (came == HeldSignals::Came::stop) {
      run.end = TimedRun::End::interrupted;
    } else if (left_ns <= 0) {
      run.end = TimedRun::End::timed_out;
    } else if (is_over(state.launch.stdout_fd) || is_over(state.launch.stderr_fd)) {
      run.end = TimedRun::End::printed_too_much;
    } else {
      continue;
    }
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
    killed = true;
  }
  run.interval_ns = static_cast<double>(end_ns - run.start_ns);
  end_group(pid, held);
  keep_usage(usage, parents_rss_bytes, run);
  if (run.end != TimedRun::End::by_itself) return run;
  if (state.failed != 0) {
    run.end = TimedRun::End::not_executed;
    run.exec_errno = state.failed;
  }
  run.ended =
      WIFSIGNALED(status) ? Ended{true, WTERMSIG(status)} : Ended{false, WEXITSTATUS(status)};
  return run;
}

std::string trouble_with(const TimedRun& run, const RunLimits& limits) {
  switch (run.end) {
    case TimedRun::End::by_itself:
      return run.ended.by_signal || run.ended.code != 0 ? run.ended.text() : "";
    case TimedRun::End::not_executed:
      return std::string("cannot be executed: ") + std::strerror(run.exec_errno);
    case TimedRun::End::timed_out:
      return "did not end within " + std::to_string(limits.timeout_s).substr(0, 5) +
             " s and was killed";
    case TimedRun::End::printed_too_much:
      return "printed more than " + std::to_string(limits.output_bytes >> 20) +
             " MiB and was killed";
    case TimedRun::End::interrupted:
      return "was interrupted";
  }
  return "";
}

}  // namespace assay::run
