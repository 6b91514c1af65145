// SPDX-License-Identifier: MIT
#include "assay/report/steadiness_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/judge/text.hpp"

namespace assay::report {
namespace {

using judge::CellResult;
using stats::SteadyClass;

std::string word_of(SteadyClass steady) {
  return steady == SteadyClass::no_steady_state ? "no steady state"
                                                : std::string(stats::to_string(steady));
}

// The word for a cell is that of its worst subject.
std::string word_of(const CellResult& cell, Reading<SteadyClass> judge::SteadyResult::*which) {
  const Reading<SteadyClass>* worst = nullptr;
  for (const judge::SteadyResult& one : cell.steadiness.subjects) {
    const auto& own = one.*which;
    if (worst == nullptr || (own && (!*worst || **worst < *own))) worst = &own;
  }
  if (worst == nullptr) return "";
  return *worst ? word_of(**worst) : worst->missing().reason;
}

std::string drift_word(const CellResult& cell) {
  const auto& drift = cell.steadiness.drift;
  if (!drift) return drift.missing().reason == "not-measured" ? "" : drift.missing().reason;
  return drift->has_drifted ? "found" : "not found";
}

// "flat in 3 cells, insufficient in 1": as they come.
class Count {
 public:
  void add(const std::string& word) {
    if (word.empty()) return;
    auto found = std::find_if(counts_.begin(), counts_.end(),
                              [&](const auto& entry) { return entry.first == word; });
    if (found == counts_.end()) found = counts_.insert(counts_.end(), {word, 0});
    ++found->second;
  }
  bool empty() const { return counts_.empty(); }
  std::string text() const {
    if (counts_.size() == 1) return counts_.front().first;
    std::string text;
    for (const auto& [word, count] : counts_) {
      text += fmt::format("{}{} in {} {}", text.empty() ? "" : ", ", word, count,
                          count == 1 ? "cell" : "cells");
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::size_t>> counts_;
};

std::string class_text(const Reading<SteadyClass>& steady) {
  return steady ? word_of(*steady)
                : fmt::format("{} ({})", steady.missing().reason, steady.missing().detail);
}

}  // namespace

std::string drift_mark(const CellResult& cell) { return cell.steadiness.has_drifted() ? " †" : ""; }

std::vector<std::string> steadiness_sentences(const judge::Result& result) {
  Count within;
  Count over;
  Count drift;
  bool any_drift = false;
  for (const CellResult& cell : result.cells) {
    within.add(word_of(cell, &judge::SteadyResult::within_trials));
    over.add(word_of(cell, &judge::SteadyResult::over_trials));
    drift.add(drift_word(cell));
    any_drift = any_drift || cell.steadiness.has_drifted();
  }
  if (within.empty()) return {};
  std::vector<std::string> sentences{
      fmt::format("steady state: within trials {}, over the run {}; drift: {}.", within.text(),
                  over.text(), drift.text())};
  if (any_drift) {
    sentences.push_back(
        "†: the baseline drifted over the run; nothing is claimed about these times, the ratios "
        "stand.");
  }
  return sentences;
}

std::string steadiness_of_cell(const CellResult& cell) {
  const auto& drift = cell.steadiness.drift;
  std::string text = "Drift of the baseline: ";
  if (!drift) {
    text += fmt::format("{} ({}).", drift.missing().reason, drift.missing().detail);
  } else if (drift->has_drifted) {
    text += fmt::format(
        "found (p < {}): from trial {} on it took {}× its time before. Nothing is claimed about "
        "the times of this cell; the ratios stand.",
        drift->level, drift->from_trial, judge::ratio_text(drift->ratio));
  } else {
    text += "not found.";
  }
  for (const judge::SteadyResult& one : cell.steadiness.subjects) {
    text += fmt::format(" {}: within trials {}, over the run {}.", one.subject,
                        class_text(one.within_trials), class_text(one.over_trials));
  }
  return text;
}

}  // namespace assay::report
