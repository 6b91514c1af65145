// SPDX-License-Identifier: MIT
//
// Words that the table and the page share.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/plan.hpp"
#include "assay/judge/result.hpp"

namespace assay::report {

// "0.498 to 0.502", or a dash.
std::string ratio_interval_text(const judge::ComparisonResult& comparison);

std::string time_or_dash(const Reading<double>& time);
std::string range_text(const Reading<judge::Range>& range_ns);

std::string prediction_text(judge::PredictionOutcome outcome);

// What the run as a whole came to, in a sentence.
std::string status_sentence(const judge::Result& result);

// "exit status 10: something is slower".
std::string exit_sentence(int exit_status);

// Why comparisons, and cells of one subject, have no verdict, with what would be needed: a sentence
// for each reason of each subject, however many cells it holds for.
std::vector<std::string> open_sentences(const judge::Result& result, const experiment::Plan& plan);

// One number for a candidate over many cells: a sentence each.
std::vector<std::string> suite_sentences(const judge::Result& result);

// "2 of 3 scored predictions held (…)"; empty without any.
std::string prediction_sentence(const judge::Result& result);

// What ranks say instead of means; empty where no look was reached.
std::string sensitivity_text(const judge::ComparisonResult& comparison);

// How many blocks a trial should take, for what, and how many it took; empty where there is no
// advice.
std::string advice_sentence(const judge::CellResult& cell);
// The machine's noise floor as the plan took it, with where it came from; or why there is none.
std::string noise_floor_text(const experiment::Plan& plan);
// What has to be said beside the margin: that the noise floor is in force, is not known, or is old.
// Empty: nothing.
std::string margin_note(const experiment::Plan& plan);
// What stands beside a subject whose times have several modes: "2 modes within trials (…): …; ratio
// of means 1.031 (1.010 to 1.052)". Empty for one of which none were seen. comparison may be null.
std::string modes_note(const judge::SubjectResult& subject,
                       const judge::ComparisonResult* comparison);

// Whether a share of a ceiling is known anywhere; else why not.
bool any_ceiling(const judge::Result& result);
std::string why_no_ceiling(const judge::Result& result);

// The comparison of that subject in that cell; nullptr for the baseline and the control.
const judge::ComparisonResult* comparison_of(const judge::Result& result, const std::string& cell,
                                             const std::string& subject);

// Cells (indices, the same in plan and result) that share problem, state and boundary, in the order
// of the plan, with "sum, warm, call boundary".
struct CellGroup {
  std::string title;
  std::vector<std::size_t> cells;
};
std::vector<CellGroup> groups_of(const experiment::Plan& plan);

inline constexpr const char* kDash = "—";

}  // namespace assay::report
