// SPDX-License-Identifier: MIT
#include "ceiling_passes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ceiling_rows.hpp"

namespace assay::probe {
namespace {

// A row that was begun may go on beyond the budget, but not for ever.
constexpr double kHardLimit = 1.5;
constexpr std::int64_t kFirstSteps = 1000;
// Of repeats at once: a clock that did not move says little.
constexpr std::int64_t kMostGrowth = 100;

// What was seen of one row so far.
struct Seen {
  std::vector<double> rates;
  std::int64_t repeats = 0;  // 0: not known yet
};

std::int64_t repeats_for(double one_s) {
  if (!(one_s > 0)) return kMostGrowth;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(kLeastPass_s / one_s)));
}

class Measurement {
 public:
  Measurement(Runner& runner, double budget_s)
      : runner_(runner), start_s_(runner.now_s()), budget_s_(budget_s) {}

  bool is_over() const { return runner_.now_s() - start_s_ > budget_s_; }
  bool is_far_over() const { return runner_.now_s() - start_s_ > kHardLimit * budget_s_; }

  // pass(repeats) measures one. Where a pass turns out to be too short, because the one that the
  // repeats were found with was disturbed, all that was seen with so few repeats is worth nothing.
  template <typename Pass>
  void passes(Seen& seen, int round, Pass pass) const {
    int wanted = round == 0 ? kPassesFirst : kPassesLater;
    if (seen.repeats == 0) seen.repeats = repeats_for(pass(1).s);
    for (int i = 0; i < wanted && !is_far_over(); ++i) {
      const Runner::Work done = pass(seen.repeats);
      if (done.s < kLeastPass_s / 2) {
        seen.repeats *= std::min(repeats_for(done.s), kMostGrowth);
        seen.rates.clear();
        wanted = kPassesFirst;
        i = -1;
        continue;
      }
      seen.rates.push_back(done.amount / done.s);
    }
  }

 private:
  Runner& runner_;
  double start_s_;
  double budget_s_;
};

Reading<Passes> result_of(const Seen& seen) {
  if (seen.rates.size() >= kPassesFirst) return passes_of(seen.rates, true);
  return Missing{"no-time", "the budget was spent before; a larger --budget leaves time for it"};
}

}  // namespace

Passes passes_of(std::vector<double> values, bool higher_is_better) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {higher_is_better ? values.back() : values.front(), median,
          static_cast<std::int64_t>(values.size())};
}

void measure_rows(Runner& runner, double budget_s, std::vector<BandwidthCeiling>& rows,
                  std::vector<ComputeCeiling>& compute) {
  const Measurement measurement(runner, budget_s);
  std::vector<Seen> of_rows(rows.size());
  std::vector<Seen> of_compute(compute.size());
  std::vector<std::int64_t> counts;
  for (const ComputeCeiling& row : compute) {
    if (std::find(counts.begin(), counts.end(), row.threads) == counts.end()) {
      counts.push_back(row.threads);
    }
  }
  const auto is_wanted = [](const auto& reading) {
    return !reading && reading.missing().reason == "not-measured";
  };
  for (int round = 0; round < kRounds; ++round) {
    for (const std::int64_t threads : counts) {
      if (measurement.is_over()) break;
      runner.begin(threads, round);
      for (std::size_t i = 0; i < compute.size(); ++i) {
        if (compute[i].threads != threads || measurement.is_over()) continue;
        Seen& seen = of_compute[i];
        measurement.passes(seen, round, [&](std::int64_t repeats) {
          return runner.arithmetic(compute[i], kFirstSteps * repeats);
        });
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].threads != threads || !is_wanted(rows[i].bytes_per_s)) continue;
        if (measurement.is_over()) continue;
        Seen& seen = of_rows[i];
        runner.prepare(rows[i]);
        runner.pass_s(rows[i], 1);  // brings the arrays where they belong
        measurement.passes(seen, round, [&](std::int64_t repeats) {
          return Runner::Work{runner.pass_s(rows[i], repeats),
                              bytes_of(rows[i]) * static_cast<double>(repeats)};
        });
        runner.check(rows[i]);
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_wanted(rows[i].bytes_per_s)) rows[i].bytes_per_s = result_of(of_rows[i]);
  }
  for (std::size_t i = 0; i < compute.size(); ++i) {
    compute[i].flop_per_s = result_of(of_compute[i]);
  }
}

}  // namespace assay::probe
