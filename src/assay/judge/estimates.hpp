// SPDX-License-Identifier: MIT
//
// What result.json holds beside the verdicts: a second opinion, scores of predictions, one number
// for a candidate over many cells, and advice for the next plan. None of it decides anything.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/experiment/experiment.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::judge {

struct Range {
  double low = 0;
  double high = 0;
};

// The same look by ranks instead of means, at the level of the sign-flip test (α ÷ looks).
struct Sensitivity {
  Reading<double> ratio = Missing{"no-look", ""};  // Hodges–Lehmann
  Reading<Range> ratio_interval = Missing{"no-look", ""};
  double confidence_level = 0;
  Reading<double> wilcoxon_p = Missing{"no-look", ""};  // against the margin on the mean's side
  // What that interval alone would say.
  stats::Verdict verdict = stats::Verdict::inconclusive;
  bool disagrees = false;  // it excludes what the verdict claims
};

// Of one decided comparison; lower is better, 0 the best.
struct PredictionScore {
  bool is_hit = false;        // the ratio lies in the predicted interval
  double interval_score = 0;  // on log ratios
  Reading<double> ranked_probability_score =
      Missing{"not-stated", "the prediction gives no probabilities"};
};

struct CalibrationEntry {
  Range stated;  // probabilities from … to below
  double mean_stated = 0;
  std::int64_t count = 0;
  std::int64_t came_true = 0;
  Range frequency;  // 95 %, Clopper–Pearson
};

// Many predicted comparisons together, of one record or of many.
struct PredictionReview {
  std::int64_t predicted = 0;  // comparisons that a prediction names
  std::int64_t scored = 0;     // those with a verdict
  std::int64_t hits = 0;
  Reading<Range> hit_rate = Missing{"nothing-scored", ""};  // 95 %, Clopper–Pearson
  Reading<double> mean_interval_score = Missing{"nothing-scored", ""};
  Reading<double> mean_ranked_probability_score = Missing{"nothing-scored", ""};
  std::vector<CalibrationEntry> calibration;
  std::vector<std::string> unscored;  // sentences: which, and why
};

struct ComparisonResult;

// Nothing of it depends on a plan, so comparisons of many records can be reviewed together.
PredictionReview review_predictions(std::span<const ComparisonResult> comparisons);

// A candidate over its cells of one state and boundary: at least two.
struct SuiteResult {
  std::string baseline;
  std::string candidate;
  std::string state;
  std::string boundary;
  std::int64_t cells = 0;                            // that enter
  Reading<double> ratio = Missing{"no-trials", ""};  // geometric mean
  Reading<Range> ratio_interval = Missing{"no-trials", ""};
  double confidence_level = 0;        // of the interval: 1 − α ÷ looks
  std::int64_t trials = 0;            // (or layouts) that count in all of them
  std::vector<std::string> left_out;  // cells that do not enter, and why
};

// How many blocks a trial should take for the least time; what is in force is the plan's.
struct BlocksAdvice {
  std::int64_t taken = 0;  // blocks a trial in force in this cell, by calibration
  Reading<std::int64_t> blocks = Missing{"not-measured", ""};
  bool is_bounded = false;  // as many as fit: the trials scatter no more than their samples explain
  Reading<double> within_trial_sd = Missing{"not-measured", ""};    // of one block's log ratio
  Reading<double> between_trials_sd = Missing{"not-measured", ""};  // of D, samples' share removed
  Reading<double> block_s = Missing{"not-measured", ""};            // cost of one block
  Reading<double> trial_s = Missing{"not-measured", ""};  // of a trial outside its blocks, per cell
};

// Of the samples of one subject within a single process, which is all that they can speak of.
struct WithinTrial {
  Reading<double> effective_samples =
      Missing{"not-measured", ""};  // for the median; the median over trials
  Reading<std::int64_t> trial =
      Missing{"not-measured", ""};  // the typical one: its median is the middle one of all trials
  Reading<Range> median_interval_ns = Missing{"not-measured", ""};  // 95 %, of that trial's median
};

Json to_json(const Sensitivity& value);
Json to_json(const PredictionScore& value);
Json to_json(const PredictionReview& value);
Json to_json(const SuiteResult& value);
Json to_json(const BlocksAdvice& value);
Json to_json(const WithinTrial& value);
Sensitivity sensitivity_from_json(const Json& json, const std::string& where);
PredictionScore prediction_score_from_json(const Json& json, const std::string& where);
PredictionReview prediction_review_from_json(const Json& json, const std::string& where);
SuiteResult suite_from_json(const Json& json, const std::string& where);
BlocksAdvice blocks_advice_from_json(const Json& json, const std::string& where);
WithinTrial within_trial_from_json(const Json& json, const std::string& where);

}  // namespace assay::judge
