// SPDX-License-Identifier: MIT
#include "assay/judge/seen_together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "assay/judge/load.hpp"
#include "assay/stats/rank_correlation.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

constexpr std::size_t kLeastTrials = 8;
constexpr double kLeastOverTrials = 0.7;
constexpr std::size_t kLeastBlocks = 40;
constexpr double kLeastWithinTrials = 0.5;
constexpr double kSeenP = 0.001;
constexpr std::size_t kMostNamed = 3;

// One quantity of a block, from the readings around its requests.
struct Quantity {
  std::string text;
  std::function<Reading<double>(const Around&)> of;  // one value for each request: their mean
};

Reading<double> per_second(const Reading<double>& amount, const Around& around) {
  const double time_s =
      static_cast<double>(around.after->telemetry.time_ns - around.before->telemetry.time_ns) *
      1e-9;
  if (time_s <= 0) return Missing{"no-time", "the readings are of one moment"};
  return amount.transform([time_s](double value) { return value / time_s; });
}

Quantity counted(std::string text, Field field) {
  return {std::move(text), [field](const Around& around) {
            const auto advance =
                advance_of(field, around.before->telemetry, around.after->telemetry);
            return per_second(
                advance.transform([](std::int64_t n) { return static_cast<double>(n); }), around);
          }};
}

Quantity state(std::string text, Field field) {
  return {std::move(text), [field](const Around& around) {
            const auto& after = around.after->telemetry.of(field);
            return after.transform([](std::int64_t n) { return static_cast<double>(n); });
          }};
}

Reading<double> mean_clock(const Around& around) {
  const auto cycles = advance_of(Field::cycles, around.before->telemetry, around.after->telemetry);
  const auto time =
      advance_of(Field::cycles_time_ns, around.before->telemetry, around.after->telemetry);
  if (!cycles) return cycles.missing();
  if (!time) return time.missing();
  if (*time == 0) return Missing{"no-time", "the thread did not run"};
  return static_cast<double>(*cycles) / static_cast<double>(*time);
}

std::vector<Quantity> quantities() {
  std::vector<Quantity> all;
  for (const LoadRate& rate : load_rates()) {
    all.push_back({std::string(rate.text), [&rate](const Around& around) {
                     return per_second(
                         seconds_of(rate, around.before->telemetry, around.after->telemetry),
                         around);
                   }});
  }
  all.push_back(counted("involuntary switches", Field::involuntary_switches));
  all.push_back(counted("page faults", Field::minor_faults));
  all.push_back(counted("time without quota", Field::quota_throttled_ns));
  all.push_back({"the processor's mean clock", mean_clock});
  all.push_back(state("the core's clock", Field::core_clock_hz));
  all.push_back(state("the SM clock", Field::sm_clock_hz));
  all.push_back(state("the memory clock", Field::memory_clock_hz));
  all.push_back(state("the temperature", Field::temperature_c));
  all.push_back(state("the power", Field::power_instant_mw));
  all.push_back(counted("time at the power cap", Field::sw_power_cap_ns));
  return all;
}

using BlockKey = std::pair<std::int64_t, std::int64_t>;  // trial, block
using Blocks = std::map<BlockKey, std::vector<Around>>;

Reading<double> value_of(const Quantity& quantity, const std::vector<Around>& requests) {
  double sum = 0;
  for (const Around& around : requests) {
    const auto value = quantity.of(around);
    if (!value) return value.missing();
    sum += *value / static_cast<double>(requests.size());
  }
  return sum;
}

struct Together {
  double rho = 0;
  std::string text;
};

// The log times and the quantity of the blocks of trials in which both are known.
struct Pairs {
  std::vector<double> times;
  std::vector<double> values;
};

void center(std::vector<double>& values) {
  const double middle = stats::median(values);
  for (double& value : values) value -= middle;
}

std::optional<Together> together(const Quantity& quantity, const std::vector<TrialPair>& trials,
                                 const Blocks& blocks, double most_p) {
  Pairs over;
  Pairs within;
  for (const TrialPair& trial : trials) {
    Pairs one;
    const std::vector<double> call_ns = trial.subject->call_ns();
    for (std::size_t block = 0; block < call_ns.size(); ++block) {
      const auto found = blocks.find({trial.trial, static_cast<std::int64_t>(block)});
      if (found == blocks.end()) continue;
      const auto value = value_of(quantity, found->second);
      if (!value) continue;
      one.times.push_back(std::log(call_ns[block]));
      one.values.push_back(*value);
    }
    if (one.times.empty()) continue;
    over.times.push_back(stats::median(one.times));
    over.values.push_back(stats::median(one.values));
    center(one.times);
    center(one.values);
    within.times.insert(within.times.end(), one.times.begin(), one.times.end());
    within.values.insert(within.values.end(), one.values.begin(), one.values.end());
  }
  const auto pass = [&](const Pairs& pairs, std::size_t least, double least_rho,
                        const char* what) -> std::optional<Together> {
    if (pairs.times.size() < least) return std::nullopt;
    const auto result = stats::rank_correlation(pairs.times, pairs.values);
    if (!result || std::abs(result->rho) < least_rho || result->p_two_sided >= most_p) {
      return std::nullopt;
    }
    return Together{result->rho, fmt::format("{} (rank correlation {:.2f} over {} {})",
                                             quantity.text, result->rho, pairs.times.size(), what)};
  };
  auto seen = pass(over, kLeastTrials, kLeastOverTrials, "trials");
  auto inside = pass(within, kLeastBlocks, kLeastWithinTrials, "blocks, within trials");
  if (!seen || (inside && std::abs(inside->rho) > std::abs(seen->rho))) return inside;
  return seen;
}

// Subjects about whose times something was found.
std::set<std::string> suspects_of(const CellResult& cell, const std::vector<Finding>& findings) {
  std::set<std::string> suspects;
  for (const std::string& name : cell.steadiness.unsettled()) suspects.insert(name);
  const bool is_lopsided =
      std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.cell == cell.cell && finding.slug == "differences.lopsided";
      });
  for (std::size_t i = 0; i < cell.subjects.size(); ++i) {
    const SubjectResult& subject = cell.subjects[i];
    const bool has_modes = subject.modality && subject.modality->several;
    const bool has_drifted = i == 0 && cell.steadiness.has_drifted();
    if (has_modes || has_drifted || is_lopsided) suspects.insert(subject.subject);
  }
  suspects.erase(std::string(experiment::control_name));
  return suspects;
}

}  // namespace

void add_seen_together(std::vector<Finding>& findings, const record::Evidence& evidence,
                       const Index& index, const std::vector<CellResult>& cells) {
  if (evidence.telemetry.empty()) return;
  std::map<std::string, Blocks> by_cell;
  for (const Around& pair : measured_pairs(evidence.telemetry)) {
    const record::TelemetryRow& row = *pair.before;
    by_cell[row.problem + "/" + row.case_id + "/" + row.state + "/" + row.boundary]
           [{row.trial, row.block}]
               .push_back(pair);
  }
  const std::vector<Quantity> all = quantities();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto blocks = by_cell.find(cells[i].cell);
    if (blocks == by_cell.end()) continue;
    const std::set<std::string> suspects = suspects_of(cells[i], findings);
    const auto& subjects = index.plan().cells[i].subjects;
    for (std::size_t slot = 0; slot < subjects.size(); ++slot) {
      if (!suspects.contains(subjects[slot].text())) continue;
      const auto trials = index.pairs(i, slot);
      std::vector<Together> seen;
      for (const Quantity& quantity : all) {
        auto found =
            together(quantity, trials, blocks->second, kSeenP / static_cast<double>(all.size()));
        if (found) seen.push_back(std::move(*found));
      }
      if (seen.empty()) continue;
      std::stable_sort(seen.begin(), seen.end(), [](const Together& a, const Together& b) {
        return std::abs(a.rho) > std::abs(b.rho);
      });
      std::string text;
      for (std::size_t k = 0; k < std::min(seen.size(), kMostNamed); ++k) {
        text += (k == 0 ? "" : "; ") + seen[k].text;
      }
      findings.push_back({"time.seen-together",
                          fmt::format("The time of {} moved with {}. They were seen together, "
                                      "which does not say that one caused the other.",
                                      subjects[slot].text(), text),
                          cells[i].cell});
    }
  }
}

}  // namespace assay::judge::detail
