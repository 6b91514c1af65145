// SPDX-License-Identifier: MIT
#include "assay/judge/rules.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/steady.hpp"
#include "assay/stats/trial.hpp"

namespace assay::judge {
namespace {

// The share of the margin that the timer's step may take of a sample; above it medians tie.
constexpr double step_share = 0.1;
// Beyond this share of a sample the timer's step is the measurement.
constexpr double largest_step_frac = 0.1;

// Where the plan leaves it to the rule, short commands run often and long ones few times in a
// trial: every run is a process of its own already, so that more runs only average out what one run
// scatters, and a trial of some tenths of a second leaves time for many trials.
constexpr double time_per_trial_s = 0.25;

bool is_cold_start(const experiment::Plan& plan, const std::string& cell_id) {
  return std::any_of(plan.cells.begin(), plan.cells.end(), [&](const experiment::Cell& cell) {
    return cell.is_cold_start() && cell.id() == cell_id;
  });
}

std::int64_t runs_per_trial(const experiment::Plan& plan, double slowest_ns) {
  const auto& defaults = plan.defaults_used;
  if (std::find(defaults.begin(), defaults.end(), "protocol.blocks") == defaults.end()) {
    return plan.protocol.blocks;
  }
  const double wanted = std::ceil(time_per_trial_s * 1e9 / slowest_ns);
  return static_cast<std::int64_t>(
      std::clamp(wanted, 1.0, static_cast<double>(plan.protocol.blocks)));
}

std::string short_number(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, std::min(text.size(), text.find('.') + 2));
}

}  // namespace

SampleTimer sample_timer(const experiment::Plan& plan, const std::string& name,
                         const Reading<double>& step_of_process_ns) {
  SampleTimer found{name, step_of_process_ns};
  Reading<double> described = Missing{"not-described", "no program describes the timer " + name};
  for (const auto& description : plan.descriptions) {
    for (const auto& timer : description.timers) {
      if (timer.name != name) continue;
      found.is_per_call = found.is_per_call || timer.is_per_call;
      found.is_slope = found.is_slope || timer.is_slope;
      const bool is_coarser = timer.resolution_ns && described && *timer.resolution_ns > *described;
      if (!described || is_coarser) described = timer.resolution_ns;
    }
  }
  if (!found.step_ns) found.step_ns = described;
  // A timer that said so would resolve everything.
  if (found.step_ns && !(*found.step_ns > 0)) {
    found.step_ns = Missing{"not-understood", "the step of the timer " + name + " is said to be 0"};
  }
  return found;
}

experiment::CellCalibration calibrate(const experiment::Plan& plan, const std::string& cell_id,
                                      std::vector<std::pair<std::string, double>> call_ns,
                                      const SampleTimer& timer,
                                      const Reading<std::int64_t>& max_iterations) {
  ASSAY_EXPECTS(!call_ns.empty());
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto fastest = *std::min_element(call_ns.begin(), call_ns.end(), by_time);
  const double slowest_ns = std::max_element(call_ns.begin(), call_ns.end(), by_time)->second;
  ASSAY_EXPECTS(fastest.second > 0);

  experiment::CellCalibration result;
  result.cell = cell_id;
  result.timer = timer.name;
  result.samples_per_trial = is_cold_start(plan, cell_id) ? 1
                             : plan.is_of_commands()      ? runs_per_trial(plan, slowest_ns)
                                                          : plan.protocol.blocks;
  result.call_ns = std::move(call_ns);

  const double to_resolve = std::max(plan.margin_in_force(), stats::kLeastMarginForEstimand);
  const double for_length = plan.protocol.sample_s * 1e9 / slowest_ns;
  const Reading<double> step_ns = timer.step_ns.transform(
      [&](double step) { return timer.is_slope ? step * std::sqrt(2.0) : step; });
  // What is not known asks for nothing.
  double for_the_step = step_ns ? *step_ns / (step_share * to_resolve) / fastest.second : 0;
  if (timer.is_per_call) for_the_step *= for_the_step;  // n of step·√n / (n·call) = step_share
  std::int64_t iterations = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(std::max(for_length, for_the_step))));
  if (max_iterations.has_value()) iterations = std::min(iterations, *max_iterations);

  const auto calls = static_cast<double>(iterations);
  result.timer_resolution_ns = step_ns.transform(
      [&](double step) { return timer.is_per_call ? step * std::sqrt(calls) : step; });
  const double step_frac =
      result.timer_resolution_ns ? *result.timer_resolution_ns / (calls * fastest.second) : 0;
  if (step_frac > largest_step_frac) {
    result.iterations = Missing{
        "too-short",
        "a sample of '" + fastest.first + "' lasts about " + short_number(calls * fastest.second) +
            " ns, and the step of the timer '" + result.timer + "' is " +
            short_number(*result.timer_resolution_ns) +
            " ns, more than a tenth of it: use a larger case, the warm state, or a finer timer"};
    return result;
  }
  result.iterations = iterations;
  result.estimand =
      stats::choose_estimand(step_frac, plan.margin_in_force()) == stats::Estimand::mean
          ? experiment::Estimand::mean
          : experiment::Estimand::median;
  return result;
}

bool is_warm(std::span<const double> warm_up_ns, const Reading<double>& timer_resolution_ns,
             std::int64_t iterations) {
  if (warm_up_ns.empty()) return false;
  const double sample_ns = warm_up_ns.back() * static_cast<double>(iterations);
  const double step_frac =
      sample_ns > 0 && timer_resolution_ns ? *timer_resolution_ns / sample_ns : 0;
  return stats::is_steady(warm_up_ns, std::max(stats::kSteadyTolerance, step_frac));
}

}  // namespace assay::judge
