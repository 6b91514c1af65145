// SPDX-License-Identifier: MIT
#include "assay/judge/canaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "assay/base/counted.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

constexpr double kNormalOfMad = 1.4826;  // a normal distribution's SD over its MAD
constexpr double kLeastFreedom = 4;      // below, a 99 % interval says nothing

// One kernel in the processes of one trial on one core; logarithms of medians of samples.
struct CanaryUnit {
  std::optional<std::int64_t> core;
  std::optional<double> start;
  std::optional<double> end;
  std::vector<double> within;  // end − start, by process

  double level() const { return start && end ? (*start + *end) / 2 : start ? *start : *end; }
};

using Units = std::vector<CanaryUnit>;  // in the order of the trials
using ByCore = std::map<std::optional<std::int64_t>, Units>;

// Of a kernel: by trial, core, process and moment.
using Key = std::tuple<std::int64_t, std::optional<std::int64_t>, std::uint32_t, std::uint32_t>;
// Kernel, boundary and timer.
using Kind = std::tuple<std::string, std::string, std::string>;
using Samples = std::map<Kind, std::map<Key, std::vector<double>>>;

Samples samples_of(const record::Evidence& evidence) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::optional<std::int64_t>> cores;
  for (const record::Trial& row : evidence.trials) {
    if (row.core) cores[{row.trial, row.process}] = *row.core;
  }
  Samples samples;
  const record::Dictionary& names = evidence.samples.names;
  for (const record::Sample& row : evidence.samples.rows) {
    if (row.phase != record::Phase::canary || row.trial == 0 || row.block > 1) continue;
    if (!(row.interval_ns > 0)) continue;
    const auto core = cores.find({row.trial, row.process});
    const Key key{row.trial, core == cores.end() ? std::nullopt : core->second, row.process,
                  row.block};
    const Kind kind{names.name(row.subject), names.name(row.boundary), names.name(row.timer)};
    samples[kind][key].push_back(row.interval_ns / static_cast<double>(row.iterations));
  }
  return samples;
}

Units units_of(const std::map<Key, std::vector<double>>& samples) {
  struct Ends {
    std::vector<double> start;
    std::vector<double> end;
    std::map<std::uint32_t, std::vector<double>> of_process;
  };
  std::map<std::pair<std::int64_t, std::optional<std::int64_t>>, Ends> all;
  for (const auto& [key, values] : samples) {
    const auto& [trial, core, process, moment] = key;
    Ends& ends = all[{trial, core}];
    const double log = std::log(stats::median(values));
    (moment == 0 ? ends.start : ends.end).push_back(log);
    ends.of_process[process].push_back(log);  // the start first: keys are in order
  }
  Units units;
  for (const auto& [where, ends] : all) {
    CanaryUnit unit;
    unit.core = where.second;
    if (!ends.start.empty()) unit.start = stats::mean(ends.start);
    if (!ends.end.empty()) unit.end = stats::mean(ends.end);
    for (const auto& [process, logs] : ends.of_process) {
      if (logs.size() == 2) unit.within.push_back(logs[1] - logs[0]);
    }
    units.push_back(std::move(unit));
  }
  return units;
}

std::vector<double> levels_of(const Units& units) {
  std::vector<double> levels;
  for (const CanaryUnit& unit : units) levels.push_back(unit.level());
  return levels;
}

double sum_of_squares(const std::vector<double>& values) {
  const double centre = stats::mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

Missing too_few(const char* what) { return {"too-few-trials", what}; }

Reading<double> between_trials_sd(const ByCore& by_core) {
  double squares = 0;
  double freedom = 0;
  for (const auto& [core, units] : by_core) {
    squares += sum_of_squares(levels_of(units));
    freedom += static_cast<double>(units.size()) - 1;
  }
  if (freedom < 2) return too_few("no core has enough trials to say how they scatter");
  return std::sqrt(squares / freedom);
}

Reading<Range> exp_of(const Reading<stats::Interval>& logs) {
  return logs.transform([](const stats::Interval& interval) {
    return Range{std::exp(interval.low), std::exp(interval.high)};
  });
}

void set_end_to_start(CanaryResult& result, const Units& units) {
  std::vector<double> within;
  for (const CanaryUnit& unit : units) {
    if (!unit.within.empty()) within.push_back(stats::mean(unit.within));
  }
  result.end_to_start_trials = static_cast<std::int64_t>(within.size());
  if (within.empty()) {
    result.end_to_start = too_few("no trial has a start and an end");
    result.end_to_start_interval = result.end_to_start.missing();
    return;
  }
  result.end_to_start = std::exp(stats::mean(within));
  result.end_to_start_interval = exp_of(stats::t_interval(within, kCanaryConfidence));
}

// The second half of the trials against the first, within cores: the mean of the cores'
// differences, weighted by n₁·n₂/(n₁+n₂), with the variance pooled over cores and halves (a two-way
// layout without interaction; Searle, Linear Models, 1971, ch. 7).
void set_late_to_early(CanaryResult& result, const Units& units) {
  struct Halves {
    std::vector<double> early;
    std::vector<double> late;
  };
  std::map<std::int64_t, Halves> by_core;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i].core) continue;
    Halves& halves = by_core[*units[i].core];
    (2 * i < units.size() ? halves.early : halves.late).push_back(units[i].level());
  }
  double weights = 0;
  double difference = 0;
  double squares = 0;
  double freedom = 0;
  for (const auto& [core, halves] : by_core) {
    if (halves.early.empty() || halves.late.empty()) continue;
    const auto early = static_cast<double>(halves.early.size());
    const auto late = static_cast<double>(halves.late.size());
    const double weight = early * late / (early + late);
    weights += weight;
    difference += weight * (stats::mean(halves.late) - stats::mean(halves.early));
    squares += sum_of_squares(halves.early) + sum_of_squares(halves.late);
    freedom += early + late - 2;
  }
  if (freedom < kLeastFreedom) {
    result.late_to_early = too_few("too few trials of a known core in both halves of the run");
    result.late_to_early_interval = result.late_to_early.missing();
    return;
  }
  difference /= weights;
  result.late_to_early = std::exp(difference);
  const double standard_error = std::sqrt(squares / freedom / weights);
  if (!(standard_error > 0)) {
    result.late_to_early_interval = Missing{"no-spread", "all trials of a core took the same time"};
    return;
  }
  const double half = -stats::t_quantile((1 - kCanaryConfidence) / 2, freedom) * standard_error;
  result.late_to_early_interval = Range{std::exp(difference - half), std::exp(difference + half)};
}

std::int64_t trials_apart(const ByCore& by_core) {
  std::int64_t apart = 0;
  for (const auto& [core, units] : by_core) {
    if (!core || static_cast<std::int64_t>(units.size()) < kCanaryTrials) continue;
    const auto levels = levels_of(units);
    const double centre = stats::median(levels);
    const auto mad = stats::median_absolute_deviation(levels);
    const double bound =
        std::max(std::log1p(kCanaryApartFrac), kCanaryApartSds * kNormalOfMad * (mad ? *mad : 0));
    apart += std::count_if(units.begin(), units.end(), [&](const CanaryUnit& unit) {
      if (!unit.start || !unit.end) return false;
      const double low = std::min(*unit.start, *unit.end) - centre;
      const double high = std::max(*unit.start, *unit.end) - centre;
      return low > bound || high < -bound;
    });
  }
  return apart;
}

CanaryCore core_of(const std::optional<std::int64_t>& core, const Units& units) {
  CanaryCore result;
  if (core) result.core = *core;
  const auto levels = levels_of(units);
  result.trials = static_cast<std::int64_t>(units.size());
  result.time_ns = std::exp(stats::mean(levels));
  const auto [least, greatest] = std::minmax_element(levels.begin(), levels.end());
  result.range_ns = {std::exp(*least), std::exp(*greatest)};
  return result;
}

CanaryResult result_of(const Kind& kind, const std::map<Key, std::vector<double>>& all) {
  const Units units = units_of(all);
  ByCore by_core;
  for (const CanaryUnit& unit : units) by_core[unit.core].push_back(unit);
  CanaryResult result;
  std::tie(result.kernel, result.boundary, result.timer) = kind;
  result.trials = static_cast<std::int64_t>(units.size());
  const auto levels = levels_of(units);
  result.time_ns = std::exp(stats::mean(levels));
  const auto [least, greatest] = std::minmax_element(levels.begin(), levels.end());
  result.range_ns = {std::exp(*least), std::exp(*greatest)};
  result.between_trials_sd = between_trials_sd(by_core);
  set_end_to_start(result, units);
  set_late_to_early(result, units);
  result.trials_apart = trials_apart(by_core);
  for (const auto& [core, of_core] : by_core) result.cores.push_back(core_of(core, of_core));
  return result;
}

bool is_beyond(const Reading<Range>& interval) {
  if (!interval) return false;
  return interval->low > 1 + kCanaryChangeFrac || interval->high < 1 / (1 + kCanaryChangeFrac);
}

std::string interval_text(const Range& range) {
  return fmt::format("{} interval {} to {}", percent_text(kCanaryConfidence), ratio_text(range.low),
                     ratio_text(range.high));
}

}  // namespace

Canaries canaries_of(const record::Evidence& evidence) {
  Canaries canaries;
  for (const auto& [kind, samples] : samples_of(evidence)) {
    canaries.kernels.push_back(result_of(kind, samples));
  }
  // Where a trial was begun again, the last attempt of each build and boundary is the one that ends
  // it.
  std::map<std::tuple<std::int64_t, std::string, std::string>, const record::Trial*> last_attempts;
  for (const record::Trial& row : evidence.trials) {
    if (row.trial == 0) continue;
    auto& last = last_attempts[{row.trial, row.build, row.boundary}];
    if (last == nullptr || row.process > last->process) last = &row;
  }
  std::map<std::string, std::set<std::int64_t>> missing;  // by reason
  for (const auto& [of, row] : last_attempts) {
    if (!row->canary_missing.empty()) missing[row->canary_missing].insert(row->trial);
  }
  for (const auto& [reason, trials] : missing) {
    canaries.missing.push_back({reason, static_cast<std::int64_t>(trials.size())});
  }
  return canaries;
}

void add_of_canaries(std::vector<Finding>& findings, const Canaries& canaries) {
  for (const CanaryResult& c : canaries.kernels) {
    std::vector<std::string> changes;
    if (c.end_to_start_trials >= kCanaryTrials && is_beyond(c.end_to_start_interval)) {
      changes.push_back(fmt::format("{}× as long at the end of a trial as at its start ({})",
                                    ratio_text(*c.end_to_start),
                                    interval_text(*c.end_to_start_interval)));
    }
    if (c.trials >= kCanaryTrials && is_beyond(c.late_to_early_interval)) {
      changes.push_back(fmt::format(
          "{}× as long in the second half of the trials as in the first on the same cores ({})",
          ratio_text(*c.late_to_early), interval_text(*c.late_to_early_interval)));
    }
    if (c.trials_apart >= kCanaryApartTrials &&
        static_cast<double>(c.trials_apart) >= kCanaryApartShare * static_cast<double>(c.trials)) {
      changes.push_back(
          fmt::format("throughout {} of {} more than {} away from the others "
                      "on the same core",
                      c.trials_apart, counted(c.trials, "trial"), percent_text(kCanaryApartFrac)));
    }
    if (changes.empty()) continue;
    std::string text;
    for (const std::string& change : changes) text += (text.empty() ? "" : ", and ") + change;
    findings.push_back(
        {"machine.unsteady",
         fmt::format("The machine itself changed: {}, a fixed kernel{}, took {}. "
                     "Absolute times depend on when they were taken; ratios are "
                     "taken within a block and keep their meaning.",
                     c.kernel,
                     canaries.are_of_several_boundaries() ? " at the boundary " + c.boundary : "",
                     text),
         ""});
  }
}

}  // namespace assay::judge::detail
