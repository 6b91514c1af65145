// SPDX-License-Identifier: MIT
#include "assay/stats/independence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "assay/base/error.hpp"
#include "assay/stats/quantile_interval.hpp"

namespace assay::stats {

double chi_squared_above(double x, std::size_t degrees_of_freedom) {
  ASSAY_EXPECTS(x >= 0 && degrees_of_freedom >= 1);
  // Q(a + 1, z) = Q(a, z) + z^a·e^(−z)/Γ(a + 1), from Q(1, z) = e^(−z) or Q(1/2, z) = erfc √z
  // (DLMF 8.8.6 and 8.4).
  const double z = x / 2;
  const bool even = degrees_of_freedom % 2 == 0;
  double above = even ? std::exp(-z) : std::erfc(std::sqrt(z));
  double a = even ? 1 : 0.5;
  // z^a·e^(−z)/Γ(a + 1) at that a.
  double term = even ? z * std::exp(-z) : 2 * std::sqrt(z / std::numbers::pi) * std::exp(-z);
  for (std::size_t degrees = even ? 2 : 1; degrees < degrees_of_freedom; degrees += 2) {
    above += term;
    a += 1;
    term *= z / a;
  }
  return above;
}

Reading<Independence> ljung_box(std::span<const double> values) {
  if (values.size() < kLeastForIndependence) {
    return Missing{"insufficient", "needs " + std::to_string(kLeastForIndependence) +
                                       " values, has " + std::to_string(values.size())};
  }
  Independence result;
  result.lags = std::min<std::size_t>(10, values.size() / 5);
  const auto rho = autocorrelation(values, result.lags);
  if (!rho) return rho.missing();
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (std::size_t lag = 1; lag <= result.lags; ++lag) {
    sum += (*rho)[lag] * (*rho)[lag] / (n - static_cast<double>(lag));
  }
  result.lag1 = (*rho)[1];
  result.statistic = n * (n + 2) * sum;
  result.p = chi_squared_above(result.statistic, result.lags);
  return result;
}

}  // namespace assay::stats
