// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "assay/judge/text.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/words.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::report {

std::string subject_table(const judge::CellResult& cell) {
  TableMarkup table(
      "Times of one call, over the trials that were judged",
      {"subject", "median", "95 % over trials", "samples", "trials", "least", "5th percentile",
       "mean", "trimmed mean", "95th percentile", "99th percentile", "SD",
       "effective samples a trial", "median of one trial, 95 %", "bytes", "operations"});
  for (const judge::SubjectResult& s : cell.subjects) {
    if (!s.valid) {
      std::vector<std::string> cells(16, kDash);
      cells[0] = escaped(s.subject);
      cells[1] = "invalid: " + escaped(s.why_invalid);
      table.row(cells);
      continue;
    }
    const judge::WithinTrial& within = s.within_trial;
    table.row({escaped(s.subject), time_or_dash(s.median_ns), range_text(s.interval_ns),
               std::to_string(s.samples), std::to_string(s.trials), time_or_dash(s.min_ns),
               time_or_dash(s.p5_ns), time_or_dash(s.mean_ns), time_or_dash(s.trimmed_mean_ns),
               time_or_dash(s.p95_ns), time_or_dash(s.p99_ns), time_or_dash(s.sd_ns),
               within.effective_samples ? fmt::format("{:.3g}", *within.effective_samples) : kDash,
               range_text(within.median_interval_ns),
               s.bytes_per_s ? judge::bytes_rate_text(*s.bytes_per_s) : kDash,
               s.flop_per_s ? judge::flop_rate_text(*s.flop_per_s) : kDash});
  }
  return table.markup();
}

std::string sensitivity_table(const judge::Result& result, const judge::CellResult& cell) {
  TableMarkup table("The same by ranks (Hodges–Lehmann, Wilcoxon against the margin)",
                    {"subject", "verdict", "ratio", "by ranks"});
  bool any = false;
  for (const judge::SubjectResult& s : cell.subjects) {
    const auto* c = comparison_of(result, cell.cell, s.subject);
    if (c == nullptr || !c->sensitivity) continue;
    any = true;
    table.row({escaped(c->candidate), std::string(stats::to_string(c->verdict)),
               c->ratio ? judge::ratio_text(*c->ratio) : kDash, escaped(sensitivity_text(*c))});
  }
  return any ? table.markup() : "";
}

std::string calibration_table(const judge::PredictionReview& review) {
  if (review.calibration.empty()) return "";
  TableMarkup table("What was given these probabilities, and what came true",
                    {"stated", "mean", "count", "came true", "95 %"});
  for (const judge::CalibrationEntry& bin : review.calibration) {
    table.row({fmt::format("{:.1f} to {:.1f}", bin.stated.low, bin.stated.high),
               fmt::format("{:.2f}", bin.mean_stated), std::to_string(bin.count),
               std::to_string(bin.came_true),
               fmt::format("{:.2f} to {:.2f}", bin.frequency.low, bin.frequency.high)});
  }
  return table.markup();
}

}  // namespace assay::report
