// SPDX-License-Identifier: MIT
//
// How good the predictions were, of what was decided.
#include <fmt/format.h>

#include <array>

#include "assay/judge/parts.hpp"
#include "assay/stats/clopper_pearson.hpp"
#include "assay/stats/scores.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge {
namespace {

constexpr double kReviewConfidence = 0.95;
// Five bins: with ten, a bin holds too few of the predictions that anyone makes.
constexpr std::size_t kCalibrationBins = 5;

constexpr std::array<stats::Verdict, 3> kDecided{stats::Verdict::faster, stats::Verdict::equivalent,
                                                 stats::Verdict::slower};

std::array<double, 3> stated_by(const experiment::Probability& probability) {
  return {probability.faster, probability.equivalent, probability.slower};
}

Range range_of(const stats::Interval& interval) { return {interval.low, interval.high}; }

}  // namespace

namespace detail {

std::optional<PredictionScore> score_of(const ComparisonResult& comparison) {
  if (!comparison.predicted_ratio || !comparison.ratio) return std::nullopt;
  for (std::size_t i = 0; i < kDecided.size(); ++i) {
    if (comparison.verdict != kDecided[i]) continue;
    const Range& predicted = *comparison.predicted_ratio;
    PredictionScore score;
    score.is_hit = predicted.low <= *comparison.ratio && *comparison.ratio <= predicted.high;
    score.interval_score =
        stats::ratio_interval_score(predicted.low, predicted.high, *comparison.ratio);
    if (comparison.predicted_probability) {
      score.ranked_probability_score =
          stats::ranked_probability_score(stated_by(*comparison.predicted_probability), i);
    }
    return score;
  }
  return std::nullopt;
}

}  // namespace detail

PredictionReview review_predictions(std::span<const ComparisonResult> comparisons) {
  PredictionReview review;
  std::vector<double> interval_scores;
  std::vector<double> ranked_scores;
  std::vector<stats::StatedProbability> stated;
  for (const ComparisonResult& comparison : comparisons) {
    if (!comparison.predicted_ratio) continue;
    ++review.predicted;
    if (!comparison.score) {
      review.unscored.push_back(
          fmt::format("{}, {}: {}{}", comparison.candidate, comparison.cell,
                      stats::to_string(comparison.verdict),
                      comparison.reason.empty() ? "" : ": " + comparison.reason));
      continue;
    }
    ++review.scored;
    review.hits += comparison.score->is_hit ? 1 : 0;
    interval_scores.push_back(comparison.score->interval_score);
    if (comparison.score->ranked_probability_score && comparison.predicted_probability) {
      ranked_scores.push_back(*comparison.score->ranked_probability_score);
      const auto probabilities = stated_by(*comparison.predicted_probability);
      for (std::size_t i = 0; i < kDecided.size(); ++i) {
        stated.push_back({probabilities[i], comparison.verdict == kDecided[i]});
      }
    }
  }
  const Missing nothing{"nothing-scored", "no predicted comparison has a verdict"};
  review.hit_rate = nothing;
  review.mean_interval_score = nothing;
  review.mean_ranked_probability_score = nothing;
  if (review.scored == 0) return review;
  review.hit_rate =
      range_of(stats::clopper_pearson(static_cast<std::size_t>(review.hits),
                                      static_cast<std::size_t>(review.scored), kReviewConfidence));
  review.mean_interval_score = stats::mean(interval_scores);
  if (ranked_scores.empty()) {
    review.mean_ranked_probability_score =
        Missing{"not-stated", "no prediction with a verdict gives probabilities"};
    return review;
  }
  review.mean_ranked_probability_score = stats::mean(ranked_scores);
  for (const auto& bin : stats::calibration_table(stated, kCalibrationBins, kReviewConfidence)) {
    review.calibration.push_back({.stated = {bin.low, bin.high},
                                  .mean_stated = bin.mean_stated,
                                  .count = static_cast<std::int64_t>(bin.count),
                                  .came_true = static_cast<std::int64_t>(bin.happened),
                                  .frequency = range_of(bin.frequency)});
  }
  return review;
}

}  // namespace assay::judge
