// SPDX-License-Identifier: MIT
#include "assay/judge/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "assay/judge/text.hpp"
#include "assay/stats/level_changes.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

// A difference in level that is said: a tenth of a core, or of the time. Less than that is
// everywhere, and moves times by less than other things do.
constexpr double kLeastLoadChange = 0.1;

// Neighbours are put together until they span so much: the machine counts its time in ticks of
// 10 ms, which are a tenth of it.
constexpr double kLoadWindowS = 0.1;
// A tick in such a window, as the standard deviation of rounding.
constexpr double kLoadSd = 0.03;

constexpr std::array<LoadRate, 5> rates{{
    {"foreign_load", "load by other processes", Field::busy_ns, 1e-9, Field::process_ns},
    {"steal", "time that the host gave to others", Field::steal_ns, 1e-9},
    {"cpu_pressure", "share of time in which something waited for a core", Field::cpu_pressure_us,
     1e-6},
    {"memory_pressure", "share of time in which something waited for memory",
     Field::memory_pressure_us, 1e-6},
    {"io_pressure", "share of time in which something waited for a disk", Field::io_pressure_us,
     1e-6},
}};

auto request_of(const record::TelemetryRow& row) {
  return std::tie(row.trial, row.process, row.problem, row.case_id, row.state, row.boundary,
                  row.phase, row.block, row.position);
}

struct Window {
  std::int64_t trial = 0;
  std::int64_t start_ns = 0;
  double seconds = 0;  // of the quantity
  double time_s = 0;
};

std::vector<Window> windows_of(const LoadRate& rate, const std::vector<Around>& pairs,
                               Reading<double>& unknown) {
  std::vector<Window> windows;
  for (const Around& pair : pairs) {
    const Telemetry& before = pair.before->telemetry;
    const Telemetry& after = pair.after->telemetry;
    const Reading<double> seconds = seconds_of(rate, before, after);
    const double time_s = static_cast<double>(after.time_ns - before.time_ns) * 1e-9;
    if (!seconds || time_s <= 0) {
      if (!seconds) unknown = seconds.missing();
      continue;
    }
    const bool goes_on = !windows.empty() && windows.back().trial == pair.before->trial &&
                         windows.back().time_s < kLoadWindowS;
    if (!goes_on) windows.push_back({pair.before->trial, before.time_ns, 0, 0});
    windows.back().seconds += *seconds;
    windows.back().time_s += time_s;
  }
  // What is left at the end of a trial is too short to say anything alone.
  std::erase_if(windows, [](const Window& window) { return window.time_s < kLoadWindowS / 2; });
  return windows;
}

LoadResult load_of(const LoadRate& rate, const std::vector<Around>& pairs) {
  LoadResult result;
  result.quantity = std::string(rate.name);
  Reading<double> unknown = Missing{"insufficient", "too few readings"};
  const std::vector<Window> windows = windows_of(rate, pairs, unknown);
  std::vector<double> values;
  for (const Window& window : windows) {
    // Ticks of others' and of our own time do not fall into a window together.
    values.push_back(std::max(window.seconds / window.time_s, 0.0));
  }
  if (values.empty()) {
    result.median = unknown.missing();
    return result;
  }
  result.windows = static_cast<std::int64_t>(values.size());
  result.median = stats::median(values);
  const auto changes = stats::level_changes(values, kLeastLoadChange, kLoadSd);
  if (!changes) {
    result.changes = changes.missing();
    return result;
  }
  std::vector<LoadChange> all;
  for (const stats::LevelChange& change : changes->changes) {
    const Window& at = windows[change.at];
    all.push_back({at.trial, static_cast<double>(at.start_ns - windows.front().start_ns) * 1e-9,
                   change.before, change.after});
  }
  result.changes = std::move(all);
  return result;
}

}  // namespace

std::vector<Around> measured_pairs(const std::vector<record::TelemetryRow>& rows) {
  std::vector<Around> pairs;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i].trial < 1 || rows[i].phase != record::Phase::measure) continue;
    if (rows[i].moment != "before" || rows[i + 1].moment != "after") continue;
    if (request_of(rows[i]) == request_of(rows[i + 1])) pairs.push_back({&rows[i], &rows[i + 1]});
  }
  return pairs;
}

std::span<const LoadRate> load_rates() { return rates; }

Reading<double> seconds_of(const LoadRate& rate, const Telemetry& before, const Telemetry& after) {
  const auto all = advance_of(rate.counter, before, after);
  if (!all) return all.missing();
  std::int64_t own = 0;
  if (rate.without) {
    const auto of_process = advance_of(*rate.without, before, after);
    if (!of_process) return of_process.missing();
    own = *of_process;
  }
  return (static_cast<double>(*all) - static_cast<double>(own)) * rate.seconds;
}

std::vector<LoadResult> loads_of(const std::vector<Around>& pairs) {
  std::vector<LoadResult> loads;
  for (const LoadRate& rate : rates) {
    if (!pairs.front().before->telemetry.has(rate.counter)) continue;
    loads.push_back(load_of(rate, pairs));
  }
  return loads;
}

void add_of_loads(std::vector<Finding>& findings, const std::vector<LoadResult>& loads) {
  std::string text;
  for (const LoadResult& load : loads) {
    if (!load.changes || load.changes->empty()) continue;
    const auto rate = std::find_if(rates.begin(), rates.end(), [&](const LoadRate& each) {
      return each.name == load.quantity;
    });
    const bool is_load = load.quantity == "foreign_load" || load.quantity == "steal";
    const auto amount = [&](double value) {
      return is_load ? fmt::format("{:.2f} cores' worth", value) : percent_text(value);
    };
    const LoadChange& first = load.changes->front();
    text += fmt::format(" {}: {} at first, {} from trial {} on ({} after the first block)",
                        rate->text, amount(first.before), amount(first.after), first.trial,
                        time_text(first.after_s * 1e9));
    constexpr std::size_t most = 3;
    for (std::size_t i = 1; i < std::min(load.changes->size(), most); ++i) {
      const LoadChange& change = (*load.changes)[i];
      text += fmt::format(", {} from trial {} on ({})", amount(change.after), change.trial,
                          time_text(change.after_s * 1e9));
    }
    if (load.changes->size() > most) {
      text += fmt::format(", and {} changes more", load.changes->size() - most);
    }
    text += ";";
  }
  if (text.empty()) return;
  text.back() = '.';
  findings.push_back({"machine.load-changed",
                      "What others do to this machine changed during the run." + text +
                          " Ratios are taken within blocks, where both sides met the same; times "
                          "before and after are not alike.",
                      ""});
}

}  // namespace assay::judge::detail
