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
  return !values.empty() && std::all_of(values.begin(), values.end(),
                                        [](double v) { return v > 0 && std::isfinite(v); });
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
  std::vector<double> ratios(baseline.size());
  std::transform(baseline.begin(), baseline.end(), candidate.begin(), ratios.begin(),
                 [](double b, double c) { return c / b; });
  // The logarithm keeps the order, so that only those in the middle are needed.
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>((ratios.size() - 1) / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  const double low = std::log(*middle);
  if (ratios.size() % 2 == 1) return low;
  return low + 0.5 * (std::log(*std::min_element(middle + 1, ratios.end())) - low);
}

double unpaired_difference(Estimand estimand, std::span<const double> baseline,
                           std::span<const double> candidate) {
  ASSAY_EXPECTS(all_times(baseline) && all_times(candidate));
  return estimand == Estimand::median ? std::log(median(candidate) / median(baseline))
                                      : std::log(mean(candidate) / mean(baseline));
}

}  // namespace assay::stats
