// SPDX-License-Identifier: MIT
#include "assay/report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/judge/text.hpp"

namespace assay::report {

std::string ratio_interval_text(const judge::ComparisonResult& comparison) {
  if (!comparison.ratio_interval) return kDash;
  return fmt::format("{} to {}", judge::ratio_text(comparison.ratio_interval->low),
                     judge::ratio_text(comparison.ratio_interval->high));
}

std::string prediction_text(judge::PredictionOutcome outcome) {
  switch (outcome) {
    case judge::PredictionOutcome::supported:
      return "supported";
    case judge::PredictionOutcome::contradicted:
      return "contradicted";
    case judge::PredictionOutcome::undecided:
      return "undecided";
  }
  return {};
}

std::string status_sentence(const judge::Result& result) {
  if (result.status == "complete") return "Complete: every cell came to its end.";
  if (result.status == "budget-spent") {
    return "The budget is spent: what had not reached a deciding look stays undecided.";
  }
  if (result.status == "interrupted") {
    return "Interrupted: verdicts of comparisons that no prediction names are provisional.";
  }
  if (result.status == "nothing-measured") return "Nothing was measured.";
  if (result.status == "quick") return "A quick look: times to look at, no verdict.";
  return result.status;
}

std::string exit_sentence(int exit_status) {
  const auto meaning = [&]() -> std::string {
    switch (exit_status) {
      case 0:
        return "done, nothing is slower";
      case 3:
        return "nothing was measured";
      case 5:
        return "a device or worker failure prevented a verdict";
      case 10:
        return "something is slower";
      case 11:
        return "something is inconclusive";
      case 12:
        return "correctness failed";
      case 13:
        return "a control voided its cell";
      case 130:
        return "interrupted";
      default:
        return "see the command line's reference";
    }
  }();
  return fmt::format("Exit status {}: {}.", exit_status, meaning);
}

std::string open_reason(const judge::ComparisonResult& comparison) {
  if (comparison.reason.empty()) return {};
  if (comparison.verdict != stats::Verdict::inconclusive || !comparison.trials_needed) {
    return comparison.reason;
  }
  return fmt::format("{}; about {} would be needed", comparison.reason, *comparison.trials_needed);
}

bool any_ceiling(const judge::Result& result) {
  return std::any_of(result.cells.begin(), result.cells.end(), [](const judge::CellResult& cell) {
    return std::any_of(
        cell.subjects.begin(), cell.subjects.end(),
        [](const judge::SubjectResult& subject) { return subject.ceiling_share_frac.has_value(); });
  });
}

std::string why_no_ceiling(const judge::Result& result) {
  for (const judge::CellResult& cell : result.cells) {
    for (const judge::SubjectResult& subject : cell.subjects) {
      if (subject.valid && !subject.ceiling_share_frac &&
          !subject.ceiling_share_frac.missing().detail.empty()) {
        return subject.ceiling_share_frac.missing().detail;
      }
    }
  }
  return "no time was measured";
}

const judge::ComparisonResult* comparison_of(const judge::Result& result, const std::string& cell,
                                             const std::string& subject) {
  for (const judge::ComparisonResult& comparison : result.comparisons) {
    if (comparison.cell == cell && comparison.candidate == subject) return &comparison;
  }
  return nullptr;
}

std::vector<CellGroup> groups_of(const experiment::Plan& plan) {
  std::vector<CellGroup> groups;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const experiment::Cell& cell = plan.cells[i];
    const std::string title =
        fmt::format("{}, {}, {} boundary", cell.problem, cell.state, cell.boundary);
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const CellGroup& group) { return group.title == title; });
    if (found == groups.end()) found = groups.insert(groups.end(), {title, {}});
    found->cells.push_back(i);
  }
  return groups;
}

}  // namespace assay::report
