// SPDX-License-Identifier: MIT
//
// What a run says while it goes on. State in, text out: who prints it, and when, is the caller's
// matter, so that it can be tested without a clock and without a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::report {

struct ProgressState {
  std::int64_t trial = 0;  // the one that runs; 0: checks and calibration
  std::size_t decided = 0;
  std::size_t comparisons = 0;
  std::size_t open_cells = 0;
  std::size_t cells = 0;
  std::string cell;                             // id of the one that is measured; may be empty
  std::optional<double> left_s = std::nullopt;  // at most; absent: not known
};

// "trial 9, 3 of 8 comparisons decided, 2 of 4 cells open, at most 4 min 10 s left, sum/n=1024/…".
// Without comparisons (one subject) those are not mentioned.
std::string progress_text(const ProgressState& state);

// The same for a terminal of that width: a carriage return before, the rest of the line erased
// after, cut to one line.
std::string progress_line(const ProgressState& state, int width);

// Erases such a line.
std::string erase_progress_line();

// For a log file: a line with its newline, at most every kPlainInterval_s.
class PlainProgress {
 public:
  static constexpr double kPlainInterval_s = 10;
  // now_s: any clock that does not run backwards.
  std::optional<std::string> line(const ProgressState& state, double now_s);

 private:
  std::optional<double> last_s_;
};

// "45 s", "4 min 10 s", "1 h 5 min".
std::string duration_text(double seconds);

}  // namespace assay::report
