// SPDX-License-Identifier: MIT
#include "assay/report/progress.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/base/counted.hpp"
#include "assay/report/columns.hpp"

namespace assay::report {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds > 0 ? seconds : 0));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_text(const ProgressState& state) {
  std::string text =
      state.trial == 0 ? "checks and calibration" : fmt::format("trial {}", state.trial);
  if (state.comparisons > 0) {
    text +=
        fmt::format(", {} of {} decided", state.decided, counted(state.comparisons, "comparison"));
  }
  text += fmt::format(", {} of {} open", state.open_cells, counted(state.cells, "cell"));
  if (state.left_s) text += fmt::format(", at most {} left", duration_text(*state.left_s));
  if (!state.cell.empty()) text += ", " + state.cell;
  return text;
}

std::string progress_line(const ProgressState& state, int width) {
  // One column stays free: a full last column makes some terminals wrap.
  const std::size_t columns = width > 1 ? static_cast<std::size_t>(width) - 1 : 1;
  return "\r" + cut_to(progress_text(state), columns) + "\x1b[K";
}

std::string erase_progress_line() { return "\r\x1b[K"; }

std::optional<std::string> PlainProgress::line(const ProgressState& state, double now_s) {
  if (last_s_ && now_s - *last_s_ < kPlainInterval_s) return std::nullopt;
  last_s_ = now_s;
  return progress_text(state) + "\n";
}

}  // namespace assay::report
