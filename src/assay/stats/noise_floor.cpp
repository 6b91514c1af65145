// SPDX-License-Identifier: MIT
#include "assay/stats/noise_floor.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "assay/base/error.hpp"
#include "assay/stats/comparison.hpp"
#include "assay/stats/student.hpp"

namespace assay::stats {
namespace {

void expect_sound(const SelfComparison& self, std::size_t trials, double alpha) {
  ASSAY_EXPECTS(std::isfinite(self.mean));
  ASSAY_EXPECTS(std::isfinite(self.standard_deviation) && self.standard_deviation >= 0);
  ASSAY_EXPECTS(trials >= 2);
  ASSAY_EXPECTS(alpha > 0 && alpha < 1);
}

// Quantile of the standard normal distribution.
double normal_quantile(double probability) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability);
}

bool is_unknown(const SelfComparison& self) {
  return !(self.standard_deviation > kNoLogSpread) && !self.resolution;
}

Missing no_spread() {
  return {"no-spread",
          "all trials of A against A tie and the timer's step is unknown, so nothing says how far "
          "apart they may be"};
}

struct Widths {
  double t = 0;               // quantile of the interval
  double standard_error = 0;  // of the mean; the larger of scatter and dithered resolution
  double constant_floor = 0;  // half-width that more trials do not narrow: steps in phase
  double unseen = 0;          // what rare slow trials may add
};

// The parts of the interval of judge_look.
Widths widths_of(const SelfComparison& self, std::size_t trials, double alpha) {
  const double count = static_cast<double>(trials);
  Widths widths;
  widths.t = -t_quantile(alpha / 2, count - 1);
  widths.standard_error = self.standard_deviation / std::sqrt(count);
  widths.unseen = rare_trials_half_width(self.standard_deviation, trials, alpha);
  if (!self.resolution) return widths;
  if (is_dithered(*self.resolution)) {
    widths.standard_error =
        std::max(widths.standard_error, resolution_standard_error(*self.resolution, trials));
  } else {
    widths.constant_floor = resolution_half_width(*self.resolution, widths.t, trials);
  }
  return widths;
}

}  // namespace

Reading<double> half_width_after(const SelfComparison& self, std::size_t trials, double alpha) {
  expect_sound(self, trials, alpha);
  if (is_unknown(self)) return no_spread();
  const Widths widths = widths_of(self, trials, alpha);
  return std::max(widths.t * widths.standard_error, widths.constant_floor) + widths.unseen;
}

Reading<double> equivalence_margin(const SelfComparison& self, std::size_t trials, double alpha) {
  return half_width_after(self, trials, alpha).transform([&](double half_width) {
    return std::expm1(std::abs(self.mean) + half_width);
  });
}

Reading<double> resolvable_difference(const SelfComparison& self, std::size_t trials,
                                      double alpha) {
  expect_sound(self, trials, alpha);
  if (is_unknown(self)) return no_spread();
  const Widths widths = widths_of(self, trials, alpha);
  if (widths.standard_error == 0) return std::expm1(widths.constant_floor);
  const double errors = widths.t + widths.unseen / widths.standard_error;
  const double degrees_of_freedom = static_cast<double>(trials) - 1;
  const double mean_in_errors =
      errors * (1 - 1 / (4 * degrees_of_freedom)) +
      normal_quantile(kPlanningPower) * std::sqrt(1 + errors * errors / (2 * degrees_of_freedom));
  return std::expm1(std::max(mean_in_errors * widths.standard_error, widths.constant_floor));
}

}  // namespace assay::stats
