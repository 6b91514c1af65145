// SPDX-License-Identifier: MIT
#include "assay/stats/trial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

bool all_times(std::span<const double> values) {
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
}

}  // namespace

std::string_view to_string(Estimand estimand) {
  return estimand == Estimand::median ? "median" : "mean";
}

std::optional<Estimand> estimand_from_string(std::string_view word) {
  if (word == "median") return Estimand::median;
  if (word == "mean") return Estimand::mean;
  return std::nullopt;
}

Estimand choose_estimand(double relative_step, double margin) {
  ASSAY_EXPECTS(relative_step >= 0 && margin >= 0);
  return relative_step > std::max(margin, kLeastMarginForEstimand) / 10 ? Estimand::mean
                                                                        : Estimand::median;
}

double paired_difference(Estimand estimand, std::span<const double> baseline,
                         std::span<const double> candidate) {
  ASSAY_EXPECTS(baseline.size() == candidate.size());
  if (estimand == Estimand::mean) return unpaired_difference(estimand, baseline, candidate);
  ASSAY_EXPECTS(all_times(baseline) && all_times(candidate));
  std::vector<double> logs(baseline.size());
  std::transform(baseline.begin(), baseline.end(), candidate.begin(), logs.begin(),
                 [](double b, double c) { return std::log(c / b); });
  return median(logs);
}

double unpaired_difference(Estimand estimand, std::span<const double> baseline,
                           std::span<const double> candidate) {
  ASSAY_EXPECTS(all_times(baseline) && all_times(candidate));
  return estimand == Estimand::median ? std::log(median(candidate) / median(baseline))
                                      : std::log(mean(candidate) / mean(baseline));
}

}  // namespace assay::stats
