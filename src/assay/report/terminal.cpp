// SPDX-License-Identifier: MIT
#include "assay/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "assay/judge/text.hpp"
#include "assay/report/columns.hpp"
#include "assay/report/device_words.hpp"
#include "assay/report/launches_words.hpp"
#include "assay/report/limits_words.hpp"
#include "assay/report/steadiness_words.hpp"
#include "assay/report/words.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::report {
namespace {

using stats::Verdict;

// Below these widths the table leaves out the share of the ceiling and the model's ratio.
constexpr int kWidthForCeiling = 110;
constexpr int kWidthForModel = 96;
// So many lines of one kind are read; the rest is counted.
constexpr std::size_t kMostLines = 12;
// Of what is said below a line of the table.
constexpr std::size_t kNoteIndent = 10;

std::string_view colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "\x1b[32m";
    case Verdict::slower:
    case Verdict::invalid:
      return "\x1b[31m";
    case Verdict::void_:
    case Verdict::inconclusive:
      return "\x1b[33m";
    case Verdict::equivalent:
      return "\x1b[36m";
  }
  return "";
}

class Page {
 public:
  Page(const judge::Result& result, const experiment::Plan& plan, TerminalStyle style)
      : result_(result),
        plan_(plan),
        style_(style),
        width_(static_cast<std::size_t>(std::max(40, style.width))) {}

  std::string text();

 private:
  struct Row {
    std::vector<std::string> cells;
    const judge::ComparisonResult* comparison = nullptr;
  };

  void heading(std::string_view words);
  void paragraph(std::string_view words) { out_ += wrapped(words, width_, 2); }
  void limited(const std::vector<std::string>& sentences, std::string_view what);
  void group(const CellGroup& cells);
  std::vector<std::string> row(const std::string& the_case, const judge::CellResult& cell,
                               const judge::SubjectResult& subject,
                               const judge::ComparisonResult* comparison, bool model, bool ceiling);
  void limits();
  void launches();
  void suites();
  void footnotes();
  void predictions();
  void open_comparisons();
  void findings();
  void machine();
  void claims();

  const judge::Result& result_;
  const experiment::Plan& plan_;
  TerminalStyle style_;
  std::size_t width_;
  std::string out_;
};

void Page::heading(std::string_view words) {
  if (!out_.empty()) out_ += "\n";
  out_ += style_.colour ? fmt::format("\x1b[1m{}\x1b[0m\n", words) : fmt::format("{}\n", words);
}

void Page::limited(const std::vector<std::string>& sentences, std::string_view what) {
  for (std::size_t i = 0; i < std::min(sentences.size(), kMostLines); ++i) paragraph(sentences[i]);
  if (sentences.size() > kMostLines) {
    paragraph(
        fmt::format("… and {} more {}; --json has them all.", sentences.size() - kMostLines, what));
  }
}

std::vector<std::string> Page::row(const std::string& the_case, const judge::CellResult& cell,
                                   const judge::SubjectResult& subject,
                                   const judge::ComparisonResult* comparison, bool model,
                                   bool ceiling) {
  const auto& time = subject.median_ns;
  const auto& range = subject.interval_ns;
  std::string verdict;
  if (comparison != nullptr) {
    verdict = stats::to_string(comparison->verdict);
    if (comparison->provisional) verdict += " *";
  } else if (!subject.valid) {
    verdict = "invalid";
  } else if (!cell.refused.empty()) {
    verdict = "not measured";
  } else {
    verdict = cell.precision ? "" : "baseline";
  }
  std::vector<std::string> cells{
      the_case,
      subject.subject,
      time ? judge::time_text(*time) + drift_mark(cell) : kDash,
      range ? judge::time_range_text(range->low, range->high) : kDash,
      comparison != nullptr && comparison->ratio ? judge::ratio_text(*comparison->ratio) : "",
      comparison != nullptr && comparison->ratio ? ratio_interval_text(*comparison) : "",
      verdict};
  if (model) {
    cells.push_back(comparison != nullptr && comparison->model_ratio && subject.valid
                        ? judge::ratio_text(*comparison->model_ratio)
                        : "");
  }
  if (ceiling) {
    cells.push_back(subject.ceiling_share_frac ? judge::percent_text(*subject.ceiling_share_frac)
                                               : kDash);
  }
  return cells;
}

void Page::group(const CellGroup& cells) {
  heading(cells.title);
  const bool model =
      style_.width >= kWidthForModel &&
      std::any_of(result_.comparisons.begin(), result_.comparisons.end(),
                  [](const judge::ComparisonResult& c) { return c.model_ratio.has_value(); });
  const bool ceiling = style_.width >= kWidthForCeiling;
  std::vector<std::string> head{"case",  "subject",  "time",   "95 % over trials",
                                "ratio", "interval", "verdict"};
  std::vector<bool> right{false, false, true, true, true, true, false};
  if (model) {
    head.push_back("model");
    right.push_back(true);
  }
  if (ceiling) {
    head.push_back("ceiling");
    right.push_back(true);
  }
  Columns columns(right);
  columns.add(head);
  std::vector<const judge::ComparisonResult*> of_line{nullptr};
  std::vector<std::string> notes{""};  // below the line
  for (const std::size_t i : cells.cells) {
    const judge::CellResult& cell = result_.cells.at(i);
    std::string the_case = plan_.cells[i].the_case.id();
    if (the_case == "-") the_case.clear();
    for (const judge::SubjectResult& subject : cell.subjects) {
      if (subject.subject == experiment::control_name) continue;
      const auto* comparison = comparison_of(result_, cell.cell, subject.subject);
      columns.add(row(the_case, cell, subject, comparison, model, ceiling));
      of_line.push_back(comparison);
      notes.push_back(modes_note(subject, comparison));
      the_case.clear();
    }
  }
  const std::vector<std::string> lines = columns.lines(2);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i];
    if (style_.colour && of_line[i] != nullptr) {
      // The last word of that spelling: a subject may be named like a verdict.
      const std::string_view word = stats::to_string(of_line[i]->verdict);
      const std::size_t at = line.rfind(word);
      if (at != std::string::npos) {
        line.replace(at, word.size(),
                     fmt::format("{}{}\x1b[0m", colour_of(of_line[i]->verdict), word));
      }
    }
    out_ += line + "\n";
    if (!notes[i].empty()) out_ += wrapped("↑ " + notes[i], width_, kNoteIndent);
  }
}

void Page::limits() {
  const auto rows = limits_table(result_, plan_);
  if (rows.empty()) return;
  heading("Limits");
  Columns columns({false, false, true, true, true, false, false, true, false});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostLines + 1); ++i) columns.add(rows[i]);
  for (const std::string& line : columns.lines(2)) out_ += line + "\n";
  if (rows.size() > kMostLines + 1) {
    paragraph(fmt::format("… and {} more; --json has them all.", rows.size() - kMostLines - 1));
  }
  paragraph(limits_note(plan_));
}

void Page::launches() {
  const auto rows = launches_table(result_, plan_);
  if (rows.empty()) return;
  heading("Launches");
  Columns columns({false, false, false, true, true, false, true, true, false});
  for (std::size_t i = 0; i < std::min(rows.size(), kMostLines + 1); ++i) columns.add(rows[i]);
  for (const std::string& line : columns.lines(2)) out_ += line + "\n";
  if (rows.size() > kMostLines + 1) {
    paragraph(fmt::format("… and {} more; --json has them all.", rows.size() - kMostLines - 1));
  }
  for (const std::string& sentence : spill_sentences(result_)) paragraph(sentence);
  paragraph(launches_note());
}

void Page::suites() {
  const std::vector<std::string> sentences = suite_sentences(result_);
  if (sentences.empty()) return;
  heading("Over all cells, geometric mean");
  limited(sentences, "of these");
}

void Page::footnotes() {
  out_ += "\n";
  if (!result_.comparisons.empty()) {
    paragraph(
        fmt::format("ratio: time ÷ time of the baseline, with its interval at the level that "
                    "its verdict needs; margin {}.",
                    judge::percent_text(plan_.margin_in_force())));
    const std::string note = margin_note(plan_);
    if (!note.empty()) paragraph(note);
  }
  const bool provisional =
      std::any_of(result_.comparisons.begin(), result_.comparisons.end(),
                  [](const judge::ComparisonResult& c) { return c.provisional; });
  if (provisional) paragraph("*: provisional, the run was interrupted.");
  for (const std::string& sentence : steadiness_sentences(result_)) paragraph(sentence);
  if (result_.device) paragraph(device_sentence(*result_.device));
  if (!any_ceiling(result_)) {
    paragraph(fmt::format("share of the ceiling: {}, {}.", kDash, why_no_ceiling(result_)));
  }
}

void Page::predictions() {
  Columns columns({false, false, true, true, true, true, false});
  columns.add({"case", "subject", "predicted", "model", "observed", "interval", "prediction"});
  std::size_t rows = 0;
  for (std::size_t i = 0; i < result_.comparisons.size(); ++i) {
    const judge::ComparisonResult& c = result_.comparisons[i];
    if (!c.predicted_ratio || !c.prediction) continue;
    if (++rows > kMostLines) continue;
    columns.add({plan_.cells[plan_.comparisons[i].cell].the_case.id(), c.candidate,
                 fmt::format("{} to {}", judge::ratio_text(c.predicted_ratio->low),
                             judge::ratio_text(c.predicted_ratio->high)),
                 c.model_ratio ? judge::ratio_text(*c.model_ratio) : kDash,
                 c.ratio ? judge::ratio_text(*c.ratio) : kDash, ratio_interval_text(c),
                 prediction_text(*c.prediction)});
  }
  if (rows == 0) return;
  heading("Predicted, before any data");
  for (const std::string& line : columns.lines(2)) out_ += line + "\n";
  if (rows > kMostLines) {
    paragraph(fmt::format("… and {} more; --json has them all.", rows - kMostLines));
  }
  if (const std::string scores = prediction_sentence(result_); !scores.empty()) paragraph(scores);
  paragraph("Hypothesis " + result_.hypothesis + ".");
}

void Page::open_comparisons() {
  const std::vector<std::string> sentences = open_sentences(result_, plan_);
  if (sentences.empty()) return;
  heading("Without a verdict");
  limited(sentences, "of these");
}

void Page::findings() {
  if (result_.findings.empty()) return;
  heading("Findings");
  std::vector<std::string> sentences;
  for (const judge::Finding& finding : result_.findings) {
    sentences.push_back(fmt::format("{}{}: {}", finding.slug,
                                    finding.cell.empty() ? "" : " (" + finding.cell + ")",
                                    finding.text));
  }
  limited(sentences, "findings");
}

void Page::machine() {
  if (result_.machine.empty()) return;
  heading("Machine");
  paragraph(result_.machine);
}

void Page::claims() {
  if (result_.claims.empty()) return;
  heading(result_.claims.size() == 1 ? "Claim" : "Claims");
  std::vector<std::string> sentences;
  std::string scope;
  bool same_scope = true;
  for (const judge::Claim& claim : result_.claims) {
    sentences.push_back(fmt::format("{}: {}", claim.id, claim.text));
    same_scope = same_scope && (scope.empty() || scope == claim.scope);
    scope = claim.scope;
  }
  if (!same_scope) {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      sentences[i] += " Scope: " + result_.claims[i].scope + ".";
    }
  }
  limited(sentences, "claims");
  if (same_scope) paragraph("Scope: " + scope + ".");
}

std::string Page::text() {
  for (const CellGroup& cells : groups_of(plan_)) group(cells);
  footnotes();
  limits();
  launches();
  suites();
  predictions();
  open_comparisons();
  findings();
  machine();
  if (!result_.left_out.empty()) {
    heading("Left out");
    limited(result_.left_out, "of these");
  }
  claims();
  heading(status_sentence(result_));
  paragraph(exit_sentence(result_.exit_status));
  return std::move(out_);
}

}  // namespace

std::string result_table(const judge::Result& result, const experiment::Plan& plan,
                         TerminalStyle style) {
  ASSAY_EXPECTS(result.cells.size() == plan.cells.size() &&
                result.comparisons.size() == plan.comparisons.size());
  return Page(result, plan, style).text();
}

}  // namespace assay::report
