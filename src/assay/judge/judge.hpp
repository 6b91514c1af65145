// SPDX-License-Identifier: MIT
//
// From evidence to result, by the rules of the method that the plan names
// (docs/explanation/statistics.md). Pure: the same evidence gives the same bytes, on any machine,
// so that `assay verify` can recompute what a record says.
#pragma once

#include <string>
#include <vector>

#include "assay/judge/index.hpp"
#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge {

// How the run ended, which the tables do not say; result.json keeps it as its status.
enum class Ending { complete, budget_spent, interrupted };

// The whole result. Verdicts freeze at their first deciding look, so judging more evidence never
// changes one.
Result judge(const record::Evidence& evidence, Ending ending);

// The same from an index that has taken all samples of the evidence.
Result judge(const record::Evidence& evidence, const Index& index, Ending ending);

// While running: which cells (indices in Plan::cells) still need trials, given the evidence so far.
// A cell is done when all its comparisons are decided at a look, or its last look is reached, or
// nothing in it can be measured any more. `undecided` counts comparisons without a verdict.
struct Progress {
  std::vector<std::size_t> open_cells;
  std::size_t decided = 0;
  std::size_t comparisons = 0;
};
Progress progress(const record::Evidence& evidence);
// The same from an index that has taken all samples so far: cheap enough to ask after every trial.
Progress progress(const Index& index, const record::Checks& checks);

// Recomputes result.json from the other files and compares. Each difference is a sentence with its
// place in the JSON. Numbers may differ by kRecomputationTolerance, relative: another compiler or
// mathematical library rounds a logarithm in the last bit otherwise.
inline constexpr double kRecomputationTolerance = 1e-12;
std::vector<std::string> recomputation_differences(const record::Record& record);

// What must agree between the files although no number follows from it: processes of the samples
// and of trials.csv, iterations and calibration, the seal's time and the first trial's, the
// experiment file and the plan made from it. Each difference is a sentence.
std::vector<std::string> consistency_differences(const record::Record& record);

}  // namespace assay::judge
