// SPDX-License-Identifier: MIT
#include "assay/judge/steadiness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "assay/base/json_list.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/drift.hpp"
#include "assay/stats/independence.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge {
namespace {

using stats::SteadyClass;

// A p below this is a finding; asked of every comparison of every cell.
constexpr double kDependenceP = 0.001;

// What counts as a change: θ/2, or a step of the timer.
struct Scale {
  double tolerance = 0;
  double least_sd = stats::kLeastLogSd;
};

Scale scale_of(const Index& index, std::size_t cell, double theta,
               const std::vector<TrialPair>& pairs) {
  const experiment::CellCalibration* calibration = index.calibration(cell);
  double step = 0;
  if (calibration != nullptr && calibration->timer_resolution_ns) {
    step = *calibration->timer_resolution_ns / stats::mean(pairs.front().subject->interval_ns);
  }
  return {.tolerance = std::max(theta / 2, step),
          .least_sd = std::max(stats::kLeastLogSd, step / std::sqrt(12.0))};
}

// Logarithms of the times of one trial, relative to `unit`: near 0 they keep their digits.
void append_logs(std::vector<double>& logs, const Series& series, double unit) {
  const double factor = 1 / (static_cast<double>(series.iterations) * unit);
  for (const double interval : series.interval_ns) logs.push_back(std::log(interval * factor));
}

double unit_of(const std::vector<TrialPair>& pairs) {
  return pairs.front().subject->interval_ns.front() /
         static_cast<double>(pairs.front().subject->iterations);
}

SteadyClass pooled(const std::map<SteadyClass, std::int64_t>& trials) {
  std::int64_t all = 0;
  for (const auto& [steady, count] : trials) all += count;
  const auto of = [&](SteadyClass steady) {
    const auto found = trials.find(steady);
    return found == trials.end() ? 0 : found->second;
  };
  if (2 * of(SteadyClass::no_steady_state) >= all) return SteadyClass::no_steady_state;
  SteadyClass most = SteadyClass::flat;
  for (const SteadyClass steady : {SteadyClass::warm_up, SteadyClass::slow_down}) {
    if (of(steady) > of(most)) most = steady;
  }
  return most;
}

SteadyResult steady_result(const std::vector<TrialPair>& pairs, const Scale& scale) {
  SteadyResult result;
  const double unit = unit_of(pairs);
  std::vector<double> medians;
  std::map<SteadyClass, std::int64_t> classes;
  std::vector<double> logs;
  for (const TrialPair& pair : pairs) {
    logs.clear();
    append_logs(logs, *pair.subject, unit);
    medians.push_back(stats::median(logs));
    const auto steady = stats::steady_state(logs, scale.tolerance, scale.least_sd);
    if (steady) {
      ++classes[*steady];
    } else {
      result.within_trials =
          Missing{steady.missing().reason, "samples of a trial: " + steady.missing().detail};
    }
  }
  if (!classes.empty()) {  // every trial has as many samples, so all have a class or none
    result.within_trials = pooled(classes);
    result.unsettled_trials = classes[SteadyClass::no_steady_state];
  }
  const auto over = stats::steady_state(medians, scale.tolerance, scale.least_sd);
  result.over_trials =
      over ? over : Missing{over.missing().reason, "trials: " + over.missing().detail};
  return result;
}

Reading<DriftResult> drift_result(const std::vector<TrialPair>& pairs) {
  std::vector<double> logs;
  std::vector<std::uint32_t> trials;  // of each block
  const double unit = unit_of(pairs);
  for (const TrialPair& pair : pairs) {
    append_logs(logs, *pair.subject, unit);
    trials.resize(logs.size(), pair.trial);
  }
  const auto drift = stats::drift(logs);
  if (!drift) {
    return Missing{drift.missing().reason, "blocks of the baseline: " + drift.missing().detail};
  }
  DriftResult result;
  result.has_drifted = drift->has_drifted;
  result.level = stats::kDriftLevels[drift->is_strong ? 1 : 0].level;
  result.step_statistic = drift->step_statistic;
  result.slope_statistic = drift->slope_statistic;
  result.points = static_cast<std::int64_t>(drift->points);
  result.batch = static_cast<std::int64_t>(drift->batch);
  result.from_trial = trials[drift->change_at];
  result.ratio = std::exp(drift->difference);
  return result;
}

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Json class_json(const Reading<SteadyClass>& steady) {
  return json_of(
      steady.transform([](SteadyClass one) { return std::string(stats::to_string(one)); }));
}

Reading<SteadyClass> take_class(ObjectReader& reader, std::string_view key) {
  const auto word = reader.take_reading<std::string>(key);
  if (!word) return word.missing();
  const auto steady = stats::steady_class_from_string(*word);
  if (!steady) {
    throw Error(ErrorKind::bad_input, reader.where() + "." + std::string(key) + ": '" + *word +
                                          "' is no class of a series; expected flat, warm-up, "
                                          "slow-down or no-steady-state");
  }
  return *steady;
}

SteadyResult steady_result_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  SteadyResult r;
  r.subject = reader.take<std::string>("subject");
  r.within_trials = take_class(reader, "within_trials");
  r.unsettled_trials = reader.take<std::int64_t>("unsettled_trials");
  r.over_trials = take_class(reader, "over_trials");
  reader.finish();
  return r;
}

}  // namespace

bool SteadyResult::is_unsettled() const {
  const auto is = [](const Reading<SteadyClass>& steady) {
    return steady && *steady == SteadyClass::no_steady_state;
  };
  return is(within_trials) || is(over_trials);
}

std::vector<std::string> Steadiness::unsettled() const {
  std::vector<std::string> names;
  for (const SteadyResult& one : subjects) {
    if (one.is_unsettled()) names.push_back(one.subject);
  }
  return names;
}

void add_json(Json& cell, const Steadiness& steadiness) {
  cell["drift"] = json_of(steadiness.drift.transform([](const DriftResult& r) {
    return Json{{"has_drifted", r.has_drifted},
                {"level", r.level},
                {"step_statistic", r.step_statistic},
                {"slope_statistic", r.slope_statistic},
                {"points", r.points},
                {"batch", r.batch},
                {"from_trial", r.from_trial},
                {"ratio", r.ratio}};
  }));
  Json list = Json::array();
  for (const SteadyResult& r : steadiness.subjects) {
    list.push_back(Json{{"subject", r.subject},
                        {"within_trials", class_json(r.within_trials)},
                        {"unsettled_trials", r.unsettled_trials},
                        {"over_trials", class_json(r.over_trials)}});
  }
  cell["steady_state"] = std::move(list);
}

Steadiness take_steadiness(ObjectReader& cell) {
  Steadiness result;
  const auto drift = cell.take_reading<Json>("drift");
  if (drift) {
    ObjectReader reader(*drift, cell.where() + ".drift.value");
    DriftResult r;
    r.has_drifted = reader.take<bool>("has_drifted");
    r.level = reader.take<double>("level");
    r.step_statistic = reader.take<double>("step_statistic");
    r.slope_statistic = reader.take<double>("slope_statistic");
    r.points = reader.take<std::int64_t>("points");
    r.batch = reader.take<std::int64_t>("batch");
    r.from_trial = reader.take<std::int64_t>("from_trial");
    r.ratio = reader.take<double>("ratio");
    reader.finish();
    result.drift = r;
  } else {
    result.drift = drift.missing();
  }
  result.subjects = take_list<SteadyResult>(cell, "steady_state", steady_result_from);
  return result;
}

namespace detail {

Steadiness steadiness_of(const Index& index, std::size_t cell,
                         const std::vector<Validity>& validity, double theta,
                         std::uint32_t last_trial) {
  Steadiness result;
  const auto& subjects = index.plan().cells[cell].subjects;
  for (std::size_t slot = 0; slot < subjects.size(); ++slot) {
    if (!validity[slot].why_invalid.empty()) continue;
    std::vector<TrialPair> pairs = index.pairs(cell, slot);
    std::erase_if(pairs, [&](const TrialPair& pair) { return pair.trial > last_trial; });
    if (pairs.empty()) continue;
    if (slot == 0) result.drift = drift_result(pairs);
    result.subjects.push_back(steady_result(pairs, scale_of(index, cell, theta, pairs)));
    result.subjects.back().subject = subjects[slot].text();
  }
  return result;
}

void add_of_steadiness(std::vector<Finding>& findings, const Index& index, const CellState& state,
                       const CellResult& cell, std::size_t number) {
  if (cell.steadiness.has_drifted()) {
    const DriftResult& drift = *cell.steadiness.drift;
    findings.push_back(
        {"time.drift",
         fmt::format(
             "The baseline's time drifted over the run: from trial {} on it was {}× what it "
             "was before (p < {}). Nothing is claimed about the times of this cell; ratios "
             "stand.",
             drift.from_trial, ratio_text(drift.ratio), drift.level),
         cell.cell});
  }
  if (const auto unsettled = cell.steadiness.unsettled(); !unsettled.empty()) {
    findings.push_back({"time.no-steady-state",
                        fmt::format("In the second half of the trials, or of the run, the time "
                                    "still changed: {}. Nothing is claimed about a steady state.",
                                    names_of(unsettled)),
                        cell.cell});
  }
  // With several layouts neighbours differ by design.
  if (index.plan().layout_replicates > 1) return;
  for (const ComparisonState& comparison : state.comparisons) {
    if (!comparison.look) continue;
    const auto result = stats::ljung_box(comparison.look->differences);
    if (!result || result->p >= kDependenceP) continue;
    findings.push_back(
        {"trials.autocorrelated",
         fmt::format("The differences of {} in one trial and the next are not independent (lag 1: "
                     "{:.2f}): its interval is too narrow or too wide.",
                     index.plan().cells[number].subjects[comparison.slot].text(), result->lag1),
         cell.cell});
  }
}

}  // namespace detail
}  // namespace assay::judge
