// SPDX-License-Identifier: MIT
#include "assay/judge/cell_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/random.hpp"
#include "assay/stats/rare_trials.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"
#include "assay/stats/trial.hpp"

namespace assay::judge {
namespace {

constexpr double kNanosecond = 1e-9;

// The first `units` trials, or the trials until that many layouts have been seen, with one value
// for each unit: a layout's is the mean over its trials.
template <typename ValueOf>
std::optional<LookData> look_at(const std::vector<TrialPair>& pairs, std::int64_t units,
                                bool by_layout, ValueOf value_of) {
  const auto wanted = static_cast<std::size_t>(units);
  LookData look;
  std::vector<std::int64_t> layouts;
  std::vector<std::vector<double>> values;
  for (const TrialPair& pair : pairs) {
    if (values.size() == wanted) break;
    std::size_t unit = values.size();
    if (by_layout) {
      unit = static_cast<std::size_t>(std::find(layouts.begin(), layouts.end(), pair.layout) -
                                      layouts.begin());
    }
    if (unit == values.size()) {
      layouts.push_back(pair.layout);
      values.emplace_back();
    }
    values[unit].push_back(value_of(pair));
    ++look.trials;
    look.last_trial = pair.trial;
  }
  if (values.size() < wanted) return std::nullopt;
  for (const auto& of_unit : values) look.differences.push_back(stats::mean(of_unit));
  return look;
}

std::optional<LookData> look_at(const std::vector<TrialPair>& pairs, std::int64_t units,
                                bool by_layout) {
  return look_at(pairs, units, by_layout, [](const TrialPair& pair) { return pair.log_ratio; });
}

stats::SubjectTiming timing_of(const std::vector<TrialPair>& pairs, std::size_t trials,
                               const Series* TrialPair::*series) {
  std::vector<stats::GroupSpread> within;
  std::vector<double> lengths;
  for (std::size_t i = 0; i < trials; ++i) {
    const Series::Spread& spread = (pairs[i].*series)->spread();
    within.push_back(spread.within);
    lengths.push_back(spread.median_ns);
  }
  return {.sample_length_s = stats::median(lengths) * kNanosecond,
          .within_trial_sd_s = stats::pooled_standard_deviation(within).transform(
              [](double sd) { return sd * kNanosecond; })};
}

stats::RegionP p_of(const stats::LookOutcome& outcome) {
  if (!outcome.p || outcome.blocked_by_sign_flip || outcome.blocked_by_skewness) return {};
  return *outcome.p;
}

std::string refusal_of(const experiment::CellCalibration* calibration) {
  if (calibration == nullptr) return "it was not calibrated: the run ended before";
  if (calibration->iterations) return "";
  const Missing& missing = calibration->iterations.missing();
  return missing.detail.empty() ? missing.reason : missing.detail;
}

// An invalid baseline leaves nothing to compare with.
Validity validity_of_comparison(const experiment::Cell& cell, std::size_t slot,
                                const std::vector<Validity>& validity) {
  if (!validity[slot].why_invalid.empty()) return validity[slot];
  if (validity[0].why_invalid.empty()) return {};
  return {.why_invalid =
              fmt::format("the baseline {}: {}", cell.subjects[0].text(), validity[0].why_invalid),
          .by_worker = validity[0].by_worker};
}

void take_looks(ComparisonState& state, const Index& index, const LookRules& rules,
                std::size_t cell) {
  for (std::size_t i = 0; i < rules.looks.size(); ++i) {
    auto look = look_at(state.pairs, rules.looks[i], rules.by_layout);
    if (!look) return;
    state.outcome = index.remembered(cell, state.slot, i, look->last_trial, [&] {
      return outcome_at(index, rules, cell, state, *look, state.interval_alpha);
    });
    state.look = std::move(look);
    state.p_at_looks.push_back(p_of(*state.outcome));
    state.is_last_look = i + 1 == rules.looks.size();
    if (state.is_decided()) return;
  }
}

void take_looks(PrecisionState& state, const Index& index, const LookRules& rules,
                std::size_t cell) {
  const experiment::CellCalibration* calibration = index.calibration(cell);
  const bool by_mean =
      calibration != nullptr && calibration->estimand == experiment::Estimand::mean;
  state.confidence_level = 1 - rules.other_alpha;
  for (std::size_t i = 0; i < rules.looks.size(); ++i) {
    auto look = look_at(state.pairs, rules.looks[i], rules.by_layout, [&](const TrialPair& pair) {
      const auto calls = pair.baseline->call_ns();
      return std::log(by_mean ? stats::mean(calls) : stats::median(calls));
    });
    if (!look) return;
    const auto& logs = look->differences;
    double floor = 0;
    if (const auto resolution = resolution_of(index, cell, state.pairs, look->trials)) {
      const double t =
          -stats::t_quantile(rules.other_alpha / 2, static_cast<double>(logs.size() - 1));
      floor = stats::resolution_half_width(*resolution, t, logs.size());
    }
    const auto interval = stats::interval_with_room(logs, state.confidence_level, floor);
    state.interval_ns = interval.transform([](const stats::Interval& of_logs) {
      return stats::Interval{std::exp(of_logs.low), std::exp(of_logs.high)};
    });
    state.relative_half_width = interval.transform(
        [](const stats::Interval& of_logs) { return std::sinh((of_logs.high - of_logs.low) / 2); });
    state.look = std::move(look);
    state.is_last_look = i + 1 == rules.looks.size();
    const auto& wanted = index.plan().protocol.precision;
    state.is_reached = wanted && state.relative_half_width && *state.relative_half_width <= *wanted;
    if (state.is_reached) return;
  }
}

void judge_control_of(CellState& state, const Index& index, const LookRules& rules,
                      std::size_t cell) {
  std::size_t units = 0;
  for (const ComparisonState& comparison : state.comparisons) {
    if (comparison.look) units = std::max(units, comparison.look->differences.size());
  }
  if (state.precision && state.precision->look) {
    units = std::max(units, state.precision->look->differences.size());
  }
  if (units == 0) return;
  state.control_look =
      look_at(state.control_pairs, static_cast<std::int64_t>(units), rules.by_layout);
  if (!state.control_look) return;
  state.control = stats::judge_control(
      state.control_look->differences,
      {.theta = rules.theta,
       .shared_alpha = rules.control_shared_alpha,
       .alpha = rules.control_alpha},
      resolution_of(index, cell, state.control_pairs, state.control_look->trials));
}

}  // namespace

std::vector<std::vector<std::size_t>> comparisons_by_cell(const experiment::Plan& plan) {
  std::vector<std::vector<std::size_t>> result(plan.cells.size());
  for (std::size_t i = 0; i < plan.comparisons.size(); ++i) {
    result.at(plan.comparisons[i].cell).push_back(i);
  }
  return result;
}

Reading<stats::Resolution> resolution_of(const Index& index, std::size_t cell,
                                         const std::vector<TrialPair>& pairs, std::size_t trials) {
  const experiment::CellCalibration* calibration = index.calibration(cell);
  if (calibration == nullptr || !calibration->timer_resolution_ns) {
    return Missing{"not-measured", "the step of the timer is unknown"};
  }
  if (trials == 0) return Missing{"no-look", "no look has been reached"};
  return stats::Resolution{
      .step_s = *calibration->timer_resolution_ns * kNanosecond,
      .samples_per_trial = static_cast<std::size_t>(calibration->samples_per_trial),
      .baseline = timing_of(pairs, trials, &TrialPair::baseline),
      .candidate = timing_of(pairs, trials, &TrialPair::subject)};
}

LookData look_by(const Index& index, const LookRules& rules, std::size_t cell,
                 const ComparisonState& state, const LookData& look, stats::Estimand estimand) {
  const auto units = static_cast<std::int64_t>(look.differences.size());
  return look_at(state.pairs, units, rules.by_layout,
                 [&](const TrialPair& pair) {
                   return index.log_ratio(cell, state.slot, pair, estimand);
                 })
      .value();
}

stats::LookOutcome outcome_at(const Index& index, const LookRules& rules, std::size_t cell,
                              const ComparisonState& state, const LookData& look,
                              double interval_alpha) {
  const experiment::Cell& of_plan = index.plan().cells[cell];
  const std::string units = std::to_string(look.differences.size());
  return stats::judge_look(
      look.differences,
      {.theta = rules.theta,
       .interval_alpha = interval_alpha,
       .guard_alpha = rules.other_alpha,
       .seed = derive_key(index.plan().protocol.seed,
                          {"judge", of_plan.id(), of_plan.subjects[state.slot].text(), units})},
      resolution_of(index, cell, state.pairs, look.trials));
}

CellState cell_state(const Index& index, const LookRules& rules, std::size_t cell,
                     const std::vector<std::size_t>& comparisons,
                     const std::vector<Validity>& validity, const std::string& lost) {
  const experiment::Plan& plan = index.plan();
  const experiment::Cell& of_plan = plan.cells[cell];
  CellState state;
  state.refused = refusal_of(index.calibration(cell));
  state.control_pairs = index.pairs(cell, index.control_slot(cell));
  bool any_open = false;
  for (const std::size_t number : comparisons) {
    ComparisonState comparison;
    comparison.comparison = number;
    comparison.slot = plan.comparisons[number].candidate;
    comparison.primary = plan.comparisons[number].prediction.has_value();
    comparison.validity = validity_of_comparison(of_plan, comparison.slot, validity);
    comparison.interval_alpha = comparison.primary ? rules.primary_alpha : rules.other_alpha;
    if (comparison.validity.why_invalid.empty() && state.refused.empty()) {
      comparison.pairs = index.pairs(cell, comparison.slot);
      // A quick look gives no verdict, so it takes no look either.
      if (!plan.quick) take_looks(comparison, index, rules, cell);
      any_open = any_open || !(comparison.is_decided() || comparison.is_last_look);
    }
    state.comparisons.push_back(std::move(comparison));
  }
  if (comparisons.empty() && !of_plan.subjects.empty()) {
    state.precision.emplace();
    state.precision->validity = validity[0];
    if (validity[0].why_invalid.empty() && state.refused.empty()) {
      state.precision->pairs = index.pairs(cell, 0);
      if (!plan.quick) take_looks(*state.precision, index, rules, cell);
      any_open = !(state.precision->is_reached || state.precision->is_last_look);
    }
  }
  state.lost = lost;
  state.is_done = !any_open || !lost.empty();
  judge_control_of(state, index, rules, cell);
  return state;
}

}  // namespace assay::judge
