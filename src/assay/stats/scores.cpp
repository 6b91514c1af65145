// SPDX-License-Identifier: MIT
#include "assay/stats/scores.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/clopper_pearson.hpp"
#include "assay/stats/detail/sums.hpp"

namespace assay::stats {
namespace {

// Probabilities are written with a few decimals: thirds do not sum to 1 exactly.
constexpr double kSumTolerance = 1e-5;

}  // namespace

double interval_score(double low, double high, double observed, double level) {
  ASSAY_EXPECTS(std::isfinite(low) && std::isfinite(high) && std::isfinite(observed));
  ASSAY_EXPECTS(low <= high);
  ASSAY_EXPECTS(level > 0 && level < 1);
  const double outside = std::max({0.0, low - observed, observed - high});
  return (high - low) + 2 / (1 - level) * outside;
}

double ratio_interval_score(double low, double high, double observed, double level) {
  ASSAY_EXPECTS(low > 0 && high > 0 && observed > 0);
  return interval_score(std::log(low), std::log(high), std::log(observed), level);
}

double ranked_probability_score(std::span<const double> probability, std::size_t happened) {
  ASSAY_EXPECTS(probability.size() >= 2 && happened < probability.size());
  ASSAY_EXPECTS(std::all_of(probability.begin(), probability.end(),
                            [](double p) { return p >= 0 && p <= 1; }));
  detail::Sum total;
  for (const double p : probability) total.add(p);
  ASSAY_EXPECTS(std::abs(total.value() - 1) <= kSumTolerance);
  double cumulated = 0;
  double score = 0;
  for (std::size_t i = 0; i + 1 < probability.size(); ++i) {
    cumulated += probability[i];
    score += std::pow(cumulated - (happened <= i ? 1 : 0), 2);
  }
  return score / static_cast<double>(probability.size() - 1);
}

std::vector<CalibrationBin> calibration_table(std::span<const StatedProbability> stated,
                                              std::size_t bins, double confidence_level) {
  ASSAY_EXPECTS(bins >= 1);
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  std::vector<CalibrationBin> table(bins);
  std::vector<detail::Sum> sums(bins);
  for (const StatedProbability& one : stated) {
    ASSAY_EXPECTS(one.probability >= 0 && one.probability <= 1);
    // The slack keeps 0.6, as written, out of the bin below 0.6.
    const double place = one.probability * static_cast<double>(bins) * (1 + 1e-12);
    const std::size_t bin = std::min(bins - 1, static_cast<std::size_t>(place));
    ++table[bin].count;
    table[bin].happened += one.happened ? 1U : 0U;
    sums[bin].add(one.probability);
  }
  for (std::size_t i = 0; i < bins; ++i) {
    CalibrationBin& bin = table[i];
    bin.low = static_cast<double>(i) / static_cast<double>(bins);
    bin.high = static_cast<double>(i + 1) / static_cast<double>(bins);
    if (bin.count == 0) continue;
    bin.mean_stated = sums[i].value() / static_cast<double>(bin.count);
    bin.frequency = clopper_pearson(bin.happened, bin.count, confidence_level);
  }
  std::erase_if(table, [](const CalibrationBin& bin) { return bin.count == 0; });
  return table;
}

}  // namespace assay::stats
