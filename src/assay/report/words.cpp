// SPDX-License-Identifier: MIT
#include "assay/report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/base/counted.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::report {

std::string ratio_interval_text(const judge::ComparisonResult& comparison) {
  if (!comparison.ratio_interval) return kDash;
  return fmt::format("{} to {}", judge::ratio_text(comparison.ratio_interval->low),
                     judge::ratio_text(comparison.ratio_interval->high));
}

std::string time_or_dash(const Reading<double>& time) {
  return time ? judge::time_text(*time) : kDash;
}

std::string range_text(const Reading<judge::Range>& range_ns) {
  return range_ns ? judge::time_range_text(range_ns->low, range_ns->high) : kDash;
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

namespace {

// A machine changes with its kernel's settings, its neighbours and its temperature; a month is a
// convention.
constexpr std::int64_t kOldNoiseFloorDays = 30;

std::string provenance(const experiment::NoiseFloorSource& source) {
  const bool is_old = source.age_days > kOldNoiseFloorDays;
  return fmt::format("A against A over {}, measured {}{}", counted(source.trials, "trial"),
                     source.measured_utc.substr(0, source.measured_utc.find('T')),
                     is_old ? ", " + counted(source.age_days, "day") + " before this plan" : "");
}

}  // namespace

std::string noise_floor_text(const experiment::Plan& plan) {
  if (!plan.noise_floor) return plan.noise_floor.missing().detail;
  std::string text = judge::percent_text(*plan.noise_floor);
  if (plan.noise_floor_source) text += " (" + provenance(*plan.noise_floor_source) + ")";
  return text;
}

std::string margin_note(const experiment::Plan& plan) {
  if (plan.protocol.ignores_noise_floor) return "";  // a finding says so
  if (!plan.noise_floor) {
    return fmt::format("Noise floor: {}.", plan.noise_floor.missing().detail);
  }
  std::string note;
  if (plan.is_noise_floor_in_force()) {
    note =
        fmt::format("The margin in force is the noise floor of this machine, {}; declared was {}.",
                    noise_floor_text(plan), judge::percent_text(plan.protocol.margin));
  }
  if (plan.noise_floor_source && plan.noise_floor_source->age_days > kOldNoiseFloorDays) {
    note += fmt::format(
        "{}The noise floor was measured {} before this plan: `assay doctor --noise` measures "
        "it again.",
        note.empty() ? "" : " ", counted(plan.noise_floor_source->age_days, "day"));
  }
  return note;
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

std::vector<std::string> open_sentences(const judge::Result& result, const experiment::Plan& plan) {
  // Subject, what it came to and why; then the cells, in the order of the result.
  std::vector<std::pair<std::string, std::vector<std::string>>> entries;
  const auto add = [&](const std::string& subject, const std::string& cell,
                       const std::string& what) {
    const std::string key = subject + "\n" + what;
    auto found = std::find_if(entries.begin(), entries.end(),
                              [&](const auto& entry) { return entry.first == key; });
    if (found == entries.end()) found = entries.insert(entries.end(), {key, {}});
    found->second.push_back(cell);
  };
  for (const judge::ComparisonResult& c : result.comparisons) {
    if (c.reason.empty()) continue;
    const bool counted = c.verdict == stats::Verdict::inconclusive && c.trials_needed;
    add(c.candidate, c.cell,
        fmt::format("{}: {}{}", stats::to_string(c.verdict), c.reason,
                    counted ? fmt::format("; about {} would be needed", *c.trials_needed) : ""));
  }
  for (const judge::CellResult& cell : result.cells) {
    if (!cell.precision || cell.subjects.empty()) continue;
    const judge::SubjectResult& subject = cell.subjects.front();
    if (!subject.valid) {
      add(subject.subject, cell.cell, "invalid: " + subject.why_invalid);
    } else if (!cell.refused.empty()) {
      add(subject.subject, cell.cell, "not measured: " + cell.refused);
    } else if (cell.steadiness.has_drifted()) {
      add(subject.subject, cell.cell,
          "its time drifted over the run, so nothing is claimed about it");
    } else if (!cell.precision->is_reached && plan.protocol.precision && !plan.quick) {
      const auto& reached = cell.precision->relative_half_width;
      add(subject.subject, cell.cell,
          fmt::format("the precision of {} asked for was not reached{}",
                      judge::percent_text(*plan.protocol.precision),
                      reached ? ", it is " + judge::percent_text(*reached) : ""));
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [key, cells] : entries) {
    const std::size_t end = key.find('\n');
    const std::string where =
        cells.size() == 1
            ? cells.front()
            : fmt::format("{} and {}", cells.front(), counted(cells.size() - 1, "more cell"));
    sentences.push_back(fmt::format("{}, {}: {}.", key.substr(0, end), where, key.substr(end + 1)));
  }
  return sentences;
}

std::vector<std::string> suite_sentences(const judge::Result& result) {
  std::vector<std::string> sentences;
  for (const judge::SuiteResult& suite : result.suites) {
    const std::string what = fmt::format("{} over {}, {}, {} boundary", suite.candidate,
                                         counted(suite.cells, "cell"), suite.state, suite.boundary);
    if (!suite.ratio) {
      sentences.push_back(fmt::format("{}, {}, {} boundary: {}.", suite.candidate, suite.state,
                                      suite.boundary, suite.ratio.missing().detail));
      continue;
    }
    const auto& interval = suite.ratio_interval;
    sentences.push_back(fmt::format(
        "{}: {}× the time of {}{}, from {} that {} in all of them{}.", what,
        judge::ratio_text(*suite.ratio), suite.baseline,
        interval ? fmt::format(" ({} to {}, {} interval)", judge::ratio_text(interval->low),
                               judge::ratio_text(interval->high),
                               judge::percent_text(suite.confidence_level))
                 : fmt::format(" (no interval: {})", interval.missing().detail),
        counted(suite.trials, "trial"), suite.trials == 1 ? "counts" : "count",
        suite.left_out.empty() ? "" : fmt::format("; {} left out", suite.left_out.size())));
  }
  return sentences;
}

std::string prediction_sentence(const judge::Result& result) {
  if (!result.predictions || result.predictions->predicted == 0) return "";
  const judge::PredictionReview& r = *result.predictions;
  const std::string unscored =
      r.unscored.empty() ? "" : fmt::format("; {} without a verdict, unscored", r.unscored.size());
  if (r.scored == 0) return fmt::format("Scores: none{}.", unscored);
  return fmt::format(
      "Scores: {} of {} ratios lie in their predicted interval ({} to {} at 95 %), interval score "
      "{:.3g}{}{}.",
      r.hits, r.scored, judge::percent_text(r.hit_rate->low), judge::percent_text(r.hit_rate->high),
      *r.mean_interval_score,
      r.mean_ranked_probability_score
          ? fmt::format(", ranked probability score {:.3g}", *r.mean_ranked_probability_score)
          : "",
      unscored);
}

std::string sensitivity_text(const judge::ComparisonResult& comparison) {
  if (!comparison.sensitivity) return "";
  const judge::Sensitivity& s = *comparison.sensitivity;
  if (!s.ratio_interval) return s.ratio_interval.missing().detail;
  return fmt::format("{} ({} to {}){}{}", judge::ratio_text(*s.ratio),
                     judge::ratio_text(s.ratio_interval->low),
                     judge::ratio_text(s.ratio_interval->high),
                     s.wilcoxon_p ? fmt::format(", p {:.2g}", *s.wilcoxon_p) : "",
                     s.disagrees ? ", disagrees" : "");
}

std::string advice_sentence(const judge::CellResult& cell) {
  if (!cell.advice) return "";
  const judge::BlocksAdvice& a = *cell.advice;
  if (!a.blocks) return fmt::format("Blocks a trial: no advice, {}.", a.blocks.missing().detail);
  const std::string taken = fmt::format("{} {} taken", a.taken, a.taken == 1 ? "was" : "were");
  const std::string costs = fmt::format(
      "a block takes {}, a trial {} besides, scatter {} within and {} between trials",
      judge::time_text(*a.block_s * 1e9), judge::time_text(*a.trial_s * 1e9),
      judge::percent_text(*a.within_trial_sd), judge::percent_text(*a.between_trials_sd));
  const char* approximation = cell.estimand == "mean"
                                  ? ""
                                  : " That is derived for means: of medians, as here, it is an "
                                    "approximation.";
  if (a.is_bounded) {
    return fmt::format(
        "Blocks a trial: {}; as many as fit would cost least time for a mean ({}): the trials "
        "hardly scatter.{}",
        taken, costs, approximation);
  }
  return fmt::format("Blocks a trial: {}, {} would cost least time for a mean ({}).{}", taken,
                     *a.blocks, costs, approximation);
}

std::string modes_note(const judge::SubjectResult& subject,
                       const judge::ComparisonResult* comparison) {
  if (!subject.modality || !subject.modality->several) return {};
  std::string text = judge::modes_text(*subject.modality);
  if (comparison != nullptr && comparison->other_estimand && comparison->other_estimand->ratio) {
    const judge::OtherEstimand& other = *comparison->other_estimand;
    text += fmt::format("; {} {}", judge::estimand_text(other.estimand),
                        judge::ratio_text(*other.ratio));
    if (other.ratio_interval) {
      text += fmt::format(" ({} to {})", judge::ratio_text(other.ratio_interval->low),
                          judge::ratio_text(other.ratio_interval->high));
    }
  }
  return text;
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
