// SPDX-License-Identifier: MIT
#include "cli/measuring.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "assay/base/error.hpp"
#include "assay/base/temporary_path.hpp"
#include "assay/base/time.hpp"
#include "assay/experiment/experiment.hpp"
#include "assay/report/html.hpp"

namespace assay::cli {
namespace {

volatile sig_atomic_t stop_asked = 0;

// The first asks; the second ends the process as it would any other, but for what lies in the
// folder for temporary files. Only what a signal handler may do.
extern "C" void ask_to_stop(int signal) {
  if (stop_asked == 0) {
    stop_asked = 1;
    return;
  }
  remove_temporary_paths();
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  sigprocmask(SIG_UNBLOCK, &own, nullptr);
  raise(signal);
}

int width_of_stderr() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

bool stop_is_asked() { return stop_asked != 0; }

double budget_s(const std::string& text) { return duration_s(text, "--budget"); }

double duration_s(const std::string& text, const std::string& option) {
  try {
    return experiment::parse_duration_s(text, option);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, error.what());
  }
}

void check_device(const std::string& device) {
  constexpr std::string_view cuda = "cuda:";
  bool is_numbered = false;
  if (device.starts_with(cuda)) {
    int number = 0;
    const char* end = device.data() + device.size();
    const auto read = std::from_chars(device.data() + cuda.size(), end, number);
    is_numbered = read.ec == std::errc() && read.ptr == end && number >= 0;
  }
  if (device.empty() || device == "cpu" || device == "cuda" || is_numbered ||
      device.starts_with("fake:")) {
    return;
  }
  throw Error(ErrorKind::usage, "--device " + device +
                                    ": there is no such device; expected cpu, cuda or cuda:N, or "
                                    "fake:SCRIPT.json for tests");
}

ProgressPrinter::ProgressPrinter() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressPrinter::show(const run::ProgressState& state) {
  if (state.stage == "describing") return;  // over before one can read it
  report::ProgressState shown;
  shown.trial = state.trial;
  shown.decided = state.decided;
  shown.comparisons = state.comparisons;
  shown.open_cells = state.cells_open - state.cells_done;
  shown.cells = state.cells_open;
  shown.cell = state.cell;
  if (state.left_at_most_s > 0) shown.left_s = state.left_at_most_s;
  if (is_terminal_) {
    write(report::progress_line(shown, width_of_stderr()));
    has_line_ = true;
  } else if (const auto line = plain_.line(shown, static_cast<double>(monotonic_ns()) * 1e-9)) {
    write(*line);
  }
}

void ProgressPrinter::finish() {
  if (has_line_) write(report::erase_progress_line());
  has_line_ = false;
}

void set_hooks(run::Options& options, ProgressPrinter& printer) {
  options.hooks.interrupted = stop_is_asked;
  options.hooks.progress = [&printer](const run::ProgressState& state) { printer.show(state); };
  options.html_page = [](const record::Record& record, const judge::Result& judged) {
    return report::html_page(record, judged);
  };
}

}  // namespace assay::cli
