// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include "assay/base/random.hpp"
#include "assay/judge/ceilings.hpp"
#include "assay/judge/parts.hpp"
#include "assay/stats/quantile_interval.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

constexpr double kSubjectConfidence = 0.95;

// Of the logarithms, because the ratios are taken there too: the mean that it is an interval of is
// the geometric one, and no bound of a time comes out negative.
Reading<Range> interval_of(const Index& index, std::size_t cell,
                           const std::vector<TrialPair>& pairs, const std::vector<double>& units) {
  if (units.size() < 2) {
    return Missing{"too-few-trials",
                   "an interval over trials needs at least 2 of them, and with "
                   "several layouts at least 2 of these"};
  }
  double floor = 0;
  if (const auto resolution = resolution_of(index, cell, pairs, pairs.size())) {
    const double t =
        -stats::t_quantile((1 - kSubjectConfidence) / 2, static_cast<double>(units.size() - 1));
    floor = stats::resolution_half_width(*resolution, t, units.size());
  }
  return stats::t_interval(units, kSubjectConfidence, floor)
      .transform([](const stats::Interval& interval) {
        return Range{std::exp(interval.low), std::exp(interval.high)};
      });
}

// One value for each layout, the mean of its trials: trials of one layout share what its places in
// memory do, and more of them say no more about another layout.
std::vector<double> by_layout(const std::vector<TrialPair>& pairs,
                              const std::vector<double>& log_medians) {
  std::map<std::int64_t, std::vector<double>> layouts;
  for (std::size_t i = 0; i < pairs.size(); ++i) layouts[pairs[i].layout].push_back(log_medians[i]);
  std::vector<double> means;
  for (const auto& [layout, values] : layouts) means.push_back(stats::mean(values));
  return means;
}

// The interval is that of one process, so a single trial is shown for all: the one whose median is
// the middle one, the earlier of two.
WithinTrial within_trial_of(const std::vector<TrialPair>& pairs,
                            const std::vector<double>& log_medians) {
  WithinTrial result;
  std::vector<double> effective;
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Series& series = *pairs[i].subject;
    effective.push_back(
        stats::effective_sample_size_below(series.interval_ns, series.spread().median_ns));
    order[i] = i;
  }
  result.effective_samples = stats::median(effective);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_medians[a] < log_medians[b]; });
  const TrialPair& typical = pairs[order[(order.size() - 1) / 2]];
  result.trial = std::int64_t{typical.trial};
  result.median_interval_ns =
      stats::quantile_interval(typical.subject->call_ns(), 0.5, kSubjectConfidence)
          .transform([](const stats::QuantileInterval& quantile) {
            return Range{quantile.interval.low, quantile.interval.high};
          });
  return result;
}

void describe(SubjectResult& result, const std::vector<double>& all) {
  const stats::Summary summary = stats::summarise(all);
  result.min_ns = summary.min;
  result.p95_ns = summary.p95;
  result.mean_ns = summary.mean;
  result.trimmed_mean_ns = summary.trimmed_mean;
  result.p5_ns = summary.p5;
  result.p99_ns = summary.p99;
  result.sd_ns = summary.standard_deviation;
}

// The timer's step in the time of one call.
Reading<double> step_of(const Index& index, std::size_t cell) {
  const experiment::CellCalibration* calibration = index.calibration(cell);
  if (calibration == nullptr || !calibration->iterations || !calibration->timer_resolution_ns) {
    return Missing{"not-measured", "the step of the timer is unknown"};
  }
  return *calibration->timer_resolution_ns / static_cast<double>(*calibration->iterations);
}

}  // namespace

Reading<experiment::WorkDescription> work_of(const experiment::Cell& cell, std::size_t slot) {
  if (slot < cell.subject_work.size() && cell.subject_work[slot]) return *cell.subject_work[slot];
  return cell.work;
}

SubjectResult subject_result(const Index& index, std::size_t cell, std::size_t slot,
                             const Validity& validity, std::uint32_t last_trial,
                             stats::ModeFinder& find_modes) {
  const experiment::Cell& of_plan = index.plan().cells[cell];
  const bool is_control = slot == of_plan.subjects.size();
  SubjectResult result;
  result.subject =
      is_control ? std::string(experiment::control_name) : of_plan.subjects[slot].text();
  if (!validity.why_invalid.empty()) {
    result.valid = false;
    result.why_invalid = validity.why_invalid;
    const Missing invalid{"invalid", "no time is given for what failed"};
    result.median_ns = invalid;
    result.interval_ns = invalid;
    result.min_ns = invalid;
    result.p95_ns = invalid;
    result.mean_ns = invalid;
    result.trimmed_mean_ns = invalid;
    result.p5_ns = invalid;
    result.p99_ns = invalid;
    result.sd_ns = invalid;
    result.within_trial = {invalid, invalid, invalid};
    result.bytes_per_s = invalid;
    result.flop_per_s = invalid;
    result.ceiling_share_frac = invalid;
    result.modality = invalid;
    return result;
  }
  std::vector<TrialPair> pairs = index.pairs(cell, slot);
  std::erase_if(pairs, [&](const TrialPair& pair) { return pair.trial > last_trial; });
  std::vector<double> log_medians;
  std::vector<double> all;
  std::vector<std::vector<double>> by_trial;
  for (const TrialPair& pair : pairs) {
    by_trial.push_back(pair.subject->call_ns());
    const std::vector<double>& calls = by_trial.back();
    log_medians.push_back(std::log(stats::median(calls)));
    all.insert(all.end(), calls.begin(), calls.end());
  }
  result.trials = static_cast<std::int64_t>(pairs.size());
  result.samples = static_cast<std::int64_t>(all.size());
  if (pairs.empty()) return result;

  const std::vector<double> units =
      index.plan().layout_replicates > 1 ? by_layout(pairs, log_medians) : log_medians;
  // The mean, because that is what the interval is one of: where trials have two modes (two cores
  // that differ) their median may lie outside it.
  const double median_ns = std::exp(stats::mean(units));
  result.median_ns = median_ns;
  result.interval_ns = interval_of(index, cell, pairs, units);
  describe(result, all);
  result.within_trial = within_trial_of(pairs, log_medians);
  result.modality = modality_result(
      by_trial, step_of(index, cell),
      derive_key(index.plan().protocol.seed, {"modality", of_plan.id(), result.subject}),
      find_modes);

  const auto work = work_of(of_plan, is_control ? 0 : slot);
  if (!work) {
    result.bytes_per_s = work.missing();
    result.flop_per_s = work.missing();
    return result;
  }
  const double median_s = median_ns * 1e-9;
  const double bytes = work->bytes_read + work->bytes_written;
  if (bytes > 0) result.bytes_per_s = bytes / median_s;
  if (work->flop > 0) result.flop_per_s = work->flop / median_s;
  const std::size_t code = is_control ? 0 : slot;
  const model::Ceilings ceilings = ceilings_of(index.plan(), of_plan, code);
  const auto call = memory_call(index.plan(), of_plan, code);
  result.ceiling_share_frac = ceilings.levels.empty()
                                  ? Reading<double>(why_no_ceilings(index.plan()))
                                  : model::share_of_ceiling(*call, median_ns, ceilings);
  if (index.plan().speaks_of_ceilings()) {
    result.limits = limits_result(index, cell, *call, ceilings, median_ns);
    result.limits->item_name = work->item_name;
    if (work->items > 0) result.limits->items_per_s = work->items / median_s;
  }
  return result;
}

}  // namespace assay::judge::detail
