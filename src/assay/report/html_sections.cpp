// SPDX-License-Identifier: MIT
#include "assay/report/html_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/counted.hpp"
#include "assay/judge/text.hpp"
#include "assay/report/charts.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/progress.hpp"
#include "assay/report/steadiness_words.hpp"
#include "assay/report/words.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::report {
namespace {

using stats::Verdict;

// Points of all time-order charts of a page together: some ten bytes each, so that a page with any
// number of cells stays within about a megabyte of them.
constexpr std::size_t kPointsOfPage = 80'000;
constexpr std::size_t kMostPointsOfLane = 2'000;
constexpr std::size_t kLeastPointsOfLane = 60;
constexpr std::size_t kLongestEnvironment = 64 * 1024;

std::string verdict_markup(const judge::ComparisonResult& comparison) {
  const char* sign = "?";
  switch (comparison.verdict) {
    case Verdict::faster:
      sign = "▼";
      break;
    case Verdict::slower:
      sign = "▲";
      break;
    case Verdict::equivalent:
      sign = "=";
      break;
    case Verdict::inconclusive:
      sign = "?";
      break;
    case Verdict::invalid:
      sign = "✗";
      break;
    case Verdict::void_:
      sign = "∅";
      break;
  }
  const std::string_view word = stats::to_string(comparison.verdict);
  return fmt::format(
      "<span class=\"verdict {0}\"><span aria-hidden=\"true\">{1}</span> {0}</span>{2}", word, sign,
      comparison.provisional ? " (provisional)" : "");
}

std::string ratio_or_dash(const Reading<double>& ratio) {
  return ratio ? judge::ratio_text(*ratio) : kDash;
}

std::string case_text(const experiment::Cell& cell) {
  const std::string id = cell.the_case.id();
  return id == "-" ? "" : id;
}

std::string predicted_text(const judge::ComparisonResult& comparison) {
  if (!comparison.predicted_ratio || !comparison.prediction) return "";
  return fmt::format("{} to {}: {}", judge::ratio_text(comparison.predicted_ratio->low),
                     judge::ratio_text(comparison.predicted_ratio->high),
                     prediction_text(*comparison.prediction));
}

std::string list_text(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

Lane lane_of(const std::string& label, const std::vector<judge::TrialPair>& pairs) {
  Lane lane{label, {}, {}};
  for (const judge::TrialPair& pair : pairs) {
    lane.breaks.push_back(lane.values.size());
    const std::vector<double> calls = pair.subject->call_ns();
    lane.values.insert(lane.values.end(), calls.begin(), calls.end());
  }
  return lane;
}

// The modes of each subject that has several; of one that may have, what would tell.
std::string modes_tables(const judge::CellResult& cell) {
  std::string text;
  for (const judge::SubjectResult& s : cell.subjects) {
    if (!s.modality) continue;
    const judge::ModalityResult& modality = *s.modality;
    if (modality.seen == "insufficient" && !modality.p_between) {
      text += element("p", fmt::format("The samples of {} form clumps, but none within trials: {}.",
                                       s.subject, modality.p_between.missing().detail));
    }
    if (!modality.several) continue;
    if (modality.modes.size() < 2) {
      text += element(
          "p", fmt::format("The times of {} have {}.", s.subject, judge::modes_text(modality)));
      continue;
    }
    const auto& p = modality.seen == "between-trials" ? modality.p_between : modality.p_within;
    TableMarkup table(
        fmt::format("Modes of the times of {}, {}{}", s.subject, judge::modes_place_text(modality),
                    p ? ": dip test, " + judge::dip_p_text(*p) : ""),
        {"mode", "place", "range", "share"});
    for (std::size_t i = 0; i < modality.modes.size(); ++i) {
      const judge::ModeResult& mode = modality.modes[i];
      table.row({std::to_string(i + 1), judge::time_text(mode.location_ns),
                 judge::time_range_text(mode.range_ns.low, mode.range_ns.high),
                 judge::percent_text(mode.share_frac)});
    }
    text += table.markup();
  }
  return text;
}

// Where a subject has several modes, the ratio by both estimands.
std::string estimands_table(const judge::Result& result, const judge::CellResult& cell) {
  TableMarkup table("Ratios by both estimands, since times have several modes",
                    {"subject", "estimand", "ratio", "interval", ""});
  bool any = false;
  for (const judge::ComparisonResult& c : result.comparisons) {
    if (c.cell != cell.cell || !c.other_estimand) continue;
    any = true;
    const auto row = [&](const std::string& estimand, const Reading<double>& ratio,
                         const Reading<judge::Range>& interval, const std::string& role) {
      table.row({escaped(c.candidate), judge::estimand_text(estimand), ratio_or_dash(ratio),
                 interval ? fmt::format("{} to {}", judge::ratio_text(interval->low),
                                        judge::ratio_text(interval->high))
                          : kDash,
                 role});
    };
    row(c.estimand, c.ratio, c.ratio_interval, "as registered: the verdict rests on it");
    row(c.other_estimand->estimand, c.other_estimand->ratio, c.other_estimand->ratio_interval, "");
  }
  return any ? table.markup() : "";
}

std::string control_sentence(const judge::ControlResult& control) {
  if (!control.ratio || !control.interval_adjusted) {
    return "The control was not judged: no look was reached.";
  }
  return fmt::format(
      "The control, the baseline measured a second time, took {}× its time ({} to "
      "{}){}.",
      judge::ratio_text(*control.ratio), judge::ratio_text(control.interval_adjusted->low),
      judge::ratio_text(control.interval_adjusted->high),
      control.voids        ? ", which voids this cell"
      : control.is_finding ? ", which may be chance among so many cells and is a finding"
                           : "");
}

std::string charts_of(const judge::CellResult& cell, const judge::Index& index, std::size_t number,
                      std::size_t points) {
  std::vector<Lane> times;
  std::vector<Lane> ratios;
  const experiment::Cell& of_plan = index.plan().cells[number];
  for (const judge::SubjectResult& subject : cell.subjects) {
    if (!subject.valid || subject.trials == 0) continue;
    std::size_t slot = index.control_slot(number);
    for (std::size_t i = 0; i < of_plan.subjects.size(); ++i) {
      if (of_plan.subjects[i].text() == subject.subject) slot = i;
    }
    const auto pairs = index.pairs(number, slot);
    times.push_back(lane_of(subject.subject, pairs));
    if (slot == 0) continue;
    Lane lane{subject.subject, {}, {}};
    for (const judge::TrialPair& pair : pairs) lane.values.push_back(std::exp(pair.log_ratio));
    ratios.push_back(std::move(lane));
  }
  if (times.empty()) return "<p>No trial of this cell counts.</p>\n";
  std::string text = time_order_chart("Samples in time order", times, points);
  text += distribution_chart("Distribution of the samples", times);
  if (!ratios.empty()) {
    text += ratio_chart("Ratio of each trial", ratios, index.plan().margin_in_force());
  }
  return text;
}

std::string prediction_list(const experiment::Plan& plan) {
  if (plan.predictions.empty()) return element("p", "No prediction was registered.");
  TableMarkup table("Predictions, sealed before the first sample",
                    {"candidate", "where", "ratio", "probability", "because"});
  for (const experiment::Prediction& p : plan.predictions) {
    table.row(
        {escaped(p.candidate), p.where.empty() ? "every case" : escaped(p.where),
         fmt::format("{} to {}", judge::ratio_text(p.ratio_low), judge::ratio_text(p.ratio_high)),
         p.probability
             ? fmt::format("faster {:.2g}, equivalent {:.2g}, slower {:.2g}", p.probability->faster,
                           p.probability->equivalent, p.probability->slower)
             : kDash,
         escaped(p.because)});
  }
  return table.markup();
}

std::string looks_text(const experiment::Plan& plan) {
  std::string looks;
  for (const std::int64_t look : plan.protocol.looks) {
    looks += (looks.empty() ? "" : ", ") + std::to_string(look);
  }
  return looks + (plan.layout_replicates > 1 ? " layouts" : " trials");
}

}  // namespace

std::string result_section(const judge::Result& result, const experiment::Plan& plan) {
  std::string text = "<section>\n<h2>Result</h2>\n";
  const bool ceiling = any_ceiling(result);
  for (const CellGroup& group : groups_of(plan)) {
    TableMarkup table(group.title,
                      {"case", "subject", "time", "95 % over trials", "ratio", "interval", "level",
                       "verdict", "predicted", "model's ratio", "of the ceiling"});
    for (const std::size_t i : group.cells) {
      const judge::CellResult& cell = result.cells.at(i);
      for (const judge::SubjectResult& s : cell.subjects) {
        if (s.subject == experiment::control_name) continue;
        const auto* c = comparison_of(result, cell.cell, s.subject);
        const bool compared = c != nullptr && c->ratio;
        std::string verdict = c != nullptr ? verdict_markup(*c) : "";
        if (c == nullptr) {
          verdict = !s.valid                ? "✗ invalid"
                    : !cell.refused.empty() ? "not measured"
                    : cell.precision        ? ""
                                            : "baseline";
        }
        table.row({escaped(case_text(plan.cells[i])), escaped(s.subject),
                   time_or_dash(s.median_ns) + (s.median_ns ? drift_mark(cell) : ""),
                   range_text(s.interval_ns), compared ? judge::ratio_text(*c->ratio) : "",
                   compared ? ratio_interval_text(*c) : "",
                   compared && c->ratio_interval ? judge::percent_text(c->confidence_level) : "",
                   verdict, c != nullptr ? escaped(predicted_text(*c)) : "",
                   c != nullptr && s.valid ? ratio_or_dash(c->model_ratio) : "",
                   s.ceiling_share_frac ? judge::percent_text(*s.ceiling_share_frac) : kDash});
      }
    }
    text += table.markup();
  }
  text += element(
      "p",
      fmt::format(
          "Times are of one call: the median within a trial, then the "
          "geometric mean over the trials. The ratio is time ÷ time of the baseline; its interval "
          "has the level that its verdict needs; the margin is {}.",
          judge::percent_text(plan.margin_in_force())));
  for (const std::string& sentence : steadiness_sentences(result)) text += element("p", sentence);
  if (const auto suites = suite_sentences(result); !suites.empty()) {
    text += element("h3", "Over all cells, geometric mean") + bullets(suites);
  }
  if (!ceiling) {
    text += element("p", fmt::format("Share of the ceiling: {}.", why_no_ceiling(result)));
  }
  return text + "</section>\n";
}

std::vector<std::string> command_lines(const experiment::Plan& plan) {
  std::vector<std::string> lines;
  for (const experiment::Command& command : plan.commands) {
    std::string line = command.name + ":";
    for (const std::string& word : command.words) line += " " + word;
    lines.push_back(line + (command.threads == 1 ? " (on one core)" : " (on all cores)"));
  }
  return lines;
}

std::string plan_section(const record::Record& record, const judge::Result& result) {
  const experiment::Plan& plan = record.evidence.plan;
  const experiment::Question& q = plan.question;
  std::string text = "<section>\n<h2>What was asked, before any data</h2>\n";
  if (q.is_registered()) {
    text += definitions({{"Decision", q.decision},
                         {"Question", q.question},
                         {"Hypothesis", q.hypothesis},
                         {"If supported", q.if_supported},
                         {"If rejected", q.if_rejected},
                         {"Hypothesis now", result.hypothesis}});
    for (const experiment::Alternative& a : q.alternatives) {
      text += definitions({{"Another explanation", a.explanation},
                           {"Told apart by", a.told_apart_by},
                           {"Metrics", list_text(a.metrics)}});
    }
  } else {
    text += element("p", "No question was registered.");
  }
  text += prediction_list(plan);
  if (const std::string scores = prediction_sentence(result); !scores.empty()) {
    text += element("p", scores) + calibration_table(*result.predictions);
  }
  text += "<details>\n<summary>Protocol</summary>\n";
  text +=
      definitions({{"Looks", looks_text(plan)},
                   {"α of the experiment", fmt::format("{:g}", plan.protocol.alpha)},
                   {"Margin in force", judge::percent_text(plan.margin_in_force())},
                   {"Noise floor", noise_floor_text(plan)},
                   {"Precision asked for",
                    plan.protocol.precision ? judge::percent_text(*plan.protocol.precision) : ""},
                   {"Blocks a trial", std::to_string(plan.protocol.blocks)},
                   {"States", list_text(plan.protocol.states)},
                   {"Boundaries", list_text(plan.protocol.boundaries)},
                   {"Timer", plan.protocol.timer},
                   {"Commands", list_text(command_lines(plan))},
                   {"Layouts", std::to_string(plan.layout_replicates)},
                   {"Budget", duration_text(plan.protocol.budget_s)},
                   {"Seed", std::to_string(plan.protocol.seed)},
                   {"Defaults used", list_text(plan.defaults_used)},
                   {"Plan", "SHA-256 " + record.plan_sha256},
                   {"Sealed", record.sealed_utc}});
  return text + "</details>\n</section>\n";
}

std::string caveats_section(const judge::Result& result, const experiment::Plan& plan) {
  std::string text;
  const std::vector<std::string> open = open_sentences(result, plan);
  if (!open.empty()) {
    text += "<section>\n<h2>Without a verdict</h2>\n" + bullets(open) + "</section>\n";
  }
  std::vector<std::string> findings;
  for (const judge::Finding& finding : result.findings) {
    findings.push_back(fmt::format("{}{}: {}", finding.slug,
                                   finding.cell.empty() ? "" : " (" + finding.cell + ")",
                                   finding.text));
  }
  if (!findings.empty()) {
    text += "<section>\n<h2>What weakens these numbers</h2>\n" + bullets(findings) + "</section>\n";
  }
  if (!result.machine.empty()) {
    text += "<section>\n<h2>The machine</h2>\n" + element("p", result.machine) + "</section>\n";
  }
  if (!result.left_out.empty()) {
    text += "<section>\n<h2>Left out</h2>\n<details>\n<summary>" +
            counted(result.left_out.size(), "part") + "</summary>\n" + bullets(result.left_out) +
            "</details>\n</section>\n";
  }
  return text;
}

std::string cells_section(const judge::Result& result, const judge::Index& index) {
  std::size_t lanes = 0;
  for (const judge::CellResult& cell : result.cells) lanes += cell.subjects.size();
  const std::size_t points = std::clamp(kPointsOfPage / std::max<std::size_t>(1, lanes),
                                        kLeastPointsOfLane, kMostPointsOfLane);
  std::string text = "<section>\n<h2>Cells</h2>\n";
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const judge::CellResult& cell = result.cells[i];
    text += fmt::format("<details{}>\n<summary>{}</summary>\n", i == 0 ? " open" : "",
                        escaped(cell.cell));
    if (!cell.refused.empty()) {
      text += element("p", "Not measured: " + cell.refused + ".") + "</details>\n";
      continue;
    }
    text += element("p", fmt::format("{} a sample; a trial counts by its {}. {}",
                                     counted(cell.iterations, "iteration"), cell.estimand,
                                     control_sentence(cell.control)));
    text += element("p", steadiness_of_cell(cell));
    text += dimensions_part(cell);
    text += subject_table(cell);
    text += sensitivity_table(result, cell);
    if (const std::string advice = advice_sentence(cell); !advice.empty()) {
      text += element("p", advice);
    }
    text += modes_tables(cell);
    text += estimands_table(result, cell);
    text += charts_of(cell, index, i, points);
    text += "</details>\n";
  }
  return text + "</section>\n";
}

std::string machine_section(const record::Record& record) {
  const experiment::Plan& plan = record.evidence.plan;
  std::string text = "<section>\n<h2>Machine and build</h2>\n";
  for (std::size_t i = 0; i < plan.descriptions.size(); ++i) {
    const experiment::ProgramDescription& d = plan.descriptions[i];
    std::vector<std::pair<std::string, std::string>> entries{
        {"Device", d.device.name + " (" + d.device.id + ")"},
        {"Program", d.program},
        {"Build", i < plan.builds.size() ? plan.builds[i].name : ""},
        {"Compiler", d.build.compiler},
        {"Flags", d.build.flags}};
    for (const experiment::TimerDescription& timer : d.timers) {
      entries.emplace_back(
          "Timer " + timer.name,
          fmt::format("step {}, floor {}",
                      timer.resolution_ns ? judge::time_text(*timer.resolution_ns) : kDash,
                      timer.floor_ns ? judge::time_text(*timer.floor_ns) : kDash));
    }
    text += definitions(entries);
  }
  if (record.evidence.environment) {
    std::string environment = json_text(*record.evidence.environment);
    if (environment.size() > kLongestEnvironment) {
      environment = "environment.json is too long for this page; it lies in the record.";
    }
    text += "<details>\n<summary>Environment, as read</summary>\n" + element("pre", environment) +
            "</details>\n";
  }
  return text + "</section>\n";
}

}  // namespace assay::report
