// SPDX-License-Identifier: MIT
//
// How good a prediction was, once the comparison is decided.
//
// A proper score is best on average for whoever states what they believe: an interval that is too
// narrow to be safe, or so wide that it says nothing, both cost. Gneiting & Raftery, JASA 102,
// 2007: interval score (eq. 43) and, for ordered outcomes, the ranked probability score (Epstein,
// J. Appl. Meteorology 8, 1969). Lower is better, 0 the best. Over many predictions: how often the
// intervals held, and whether what was given 70 % came true in 70 of 100. A comparison without a
// verdict has no outcome to score; whoever sums up must say how many there were.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/stats/student.hpp"

namespace assay::stats {

// What a predicted interval of a ratio is meant to hold.
inline constexpr double kPredictedLevel = 0.8;

// (high − low) + 2/α·(distance of `observed` outside), α = 1 − level. low ≤ high, all finite.
double interval_score(double low, double high, double observed, double level);

// The same on the logarithms: there twice as long and half as long are equally far off, exchanging
// candidate and baseline changes nothing, and scores of comparisons near 0.5 and near 2 are of one
// scale. For small differences the unit is the relative difference. All ratios above 0.
double ratio_interval_score(double low, double high, double observed,
                            double level = kPredictedLevel);

// Mean squared difference of the cumulated probabilities, over the count − 1 thresholds: in [0, 1];
// naming the far end wrongly costs more than the neighbour. probability: of ordered outcomes (here
// faster, equivalent, slower), at least two, each in [0, 1], summing to 1 within 1e-5; happened:
// the one that did.
double ranked_probability_score(std::span<const double> probability, std::size_t happened);

struct StatedProbability {
  double probability = 0;
  bool happened = false;
};

struct CalibrationBin {
  double low = 0;  // probabilities in [low, high), the last bin with 1
  double high = 0;
  std::size_t count = 0;
  std::size_t happened = 0;
  double mean_stated = 0;
  Interval frequency;  // Clopper–Pearson of happened ÷ count
};

// Equally wide bins; those that hold nothing are left out. The probabilities of one comparison
// depend on each other, which the intervals ignore.
std::vector<CalibrationBin> calibration_table(std::span<const StatedProbability> stated,
                                              std::size_t bins, double confidence_level);

}  // namespace assay::stats
