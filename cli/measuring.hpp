// SPDX-License-Identifier: MIT
//
// What the commands that measure share: signals that end a run in good order, the progress line,
// and what goes into every run.
#pragma once

#include <string>

#include "assay/report/progress.hpp"
#include "assay/run/run.hpp"

namespace assay::cli {

// From now on SIGINT, SIGTERM and SIGHUP ask the run to stop; a second one ends the process, and
// leaves nothing in the folder for temporary files.
void catch_signals();
bool stop_is_asked();

// "90s", "5min"; throws Error{usage}: what is wrong on the command line is a usage error, whoever
// finds it.
double budget_s(const std::string& text);
double duration_s(const std::string& text, const std::string& option);

// Throws Error{usage} for a device that no build knows. Empty: the default, or the record's own.
void check_device(const std::string& device);

// The progress line on stderr: rewritten in place on a terminal, now and then a line elsewhere.
class ProgressPrinter {
 public:
  ProgressPrinter();
  void show(const run::ProgressState& state);
  void finish();

 private:
  bool is_terminal_;
  bool has_line_ = false;
  report::PlainProgress plain_;
};

// Interruption by signals, progress on the printer (which must live as long), the HTML page.
void set_hooks(run::Options& options, ProgressPrinter& printer);

}  // namespace assay::cli
