// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "assay/judge/text.hpp"
#include "assay/report/columns.hpp"
#include "assay/report/device_words.hpp"
#include "assay/report/dimensions_words.hpp"
#include "assay/report/startup_words.hpp"
#include "assay/report/terminal.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

// What a missing interval would have needed is the same for most subjects: it is said once.
void add_unique(std::vector<std::string>& notes, const Missing& missing) {
  if (missing.detail.empty()) return;
  if (std::find(notes.begin(), notes.end(), missing.detail) == notes.end()) {
    notes.push_back(missing.detail);
  }
}

std::string statistics_of(const judge::CellResult& cell, std::size_t width) {
  Columns spread({false, true, true, true, true, true, true, true, true});
  spread.add({"subject", "samples", "least", "5 %", "mean", "trimmed", "95 %", "99 %", "SD"});
  Columns within({false, true, true, true, true});
  within.add({"subject", "effective", "median", "trial", "its median, 95 %"});
  std::vector<std::string> notes;
  for (const judge::SubjectResult& s : cell.subjects) {
    if (!s.valid || s.trials == 0) continue;
    spread.add({s.subject, std::to_string(s.samples), time_or_dash(s.min_ns), time_or_dash(s.p5_ns),
                time_or_dash(s.mean_ns), time_or_dash(s.trimmed_mean_ns), time_or_dash(s.p95_ns),
                time_or_dash(s.p99_ns), time_or_dash(s.sd_ns)});
    const judge::WithinTrial& w = s.within_trial;
    const auto& interval = w.median_interval_ns;
    within.add({s.subject,
                w.effective_samples ? fmt::format("{:.3g}", *w.effective_samples) : kDash,
                time_or_dash(s.median_ns), w.trial ? std::to_string(*w.trial) : kDash,
                range_text(interval)});
    if (!interval) add_unique(notes, interval.missing());
  }
  std::string text;
  for (const std::string& line : spread.lines(2)) text += line + "\n";
  for (const std::string& line : within.lines(2)) text += line + "\n";
  for (const std::string& note : notes) text += wrapped(kDash + (": " + note) + ".", width, 2);
  return text;
}

std::string startup_of(const judge::CellResult& cell, std::size_t width) {
  const StartupTable table = startup_table(cell);
  if (table.rows.empty()) return "";
  std::vector<bool> right(table.header.size(), true);
  right.front() = false;
  Columns columns(std::move(right));
  columns.add(table.header);
  for (const auto& row : table.rows) columns.add(row);
  std::string text = wrapped("From the start of a process to its first result:", width, 2);
  for (const std::string& line : columns.lines(2)) text += line + "\n";
  std::string notes = startup_sentence;
  for (const std::string& note : table.notes) notes += " No " + note + ".";
  return text + wrapped(notes, width, 2);
}

std::string dimensions_of(const judge::CellResult& cell, std::size_t width) {
  std::string text;
  Columns columns({false, false, false, false, false, false});
  const auto rows = operands_table(cell);
  for (const auto& row : rows) columns.add(row);
  if (!rows.empty()) {
    for (const std::string& line : columns.lines(2)) text += line + "\n";
  }
  for (const auto& [what, list] : declared_of(cell)) {
    text += wrapped(what + ": " + list + ".", width, 2);
  }
  return text;
}

}  // namespace

std::string details_text(const judge::Result& result, TerminalStyle style) {
  const auto width = static_cast<std::size_t>(std::max(40, style.width));
  std::string text =
      "Details\n" +
      wrapped(
          "Of one call, over the samples of all trials that were judged; effective: independent "
          "samples that a trial is worth for its median, the median over trials; the last two "
          "columns: the trial in the middle, and what its samples say of that process alone.",
          width, 2);
  for (const judge::CellResult& cell : result.cells) {
    if (!cell.refused.empty()) continue;
    text += "\n" + cell.cell + "\n" + dimensions_of(cell, width) + statistics_of(cell, width) +
            startup_of(cell, width);
    for (const judge::SubjectResult& s : cell.subjects) {
      if (s.memory)
        text += wrapped("Memory of " + s.subject + ": " + memory_text(*s.memory) + ".", width, 2);
    }
    for (const judge::SubjectResult& s : cell.subjects) {
      const auto* c = comparison_of(result, cell.cell, s.subject);
      if (c == nullptr || !c->sensitivity) continue;
      text +=
          wrapped(fmt::format("{} by ranks: {}.", c->candidate, sensitivity_text(*c)), width, 2);
    }
    if (const std::string advice = advice_sentence(cell); !advice.empty()) {
      text += wrapped(advice, width, 2);
    }
  }
  return text;
}

}  // namespace assay::report
