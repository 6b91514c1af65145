// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/counted.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/multiplicity.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

using stats::Verdict;

bool is_void(const CellState& state) { return state.control && state.control->voids; }

std::string units_text(const LookRules& rules, std::size_t count) {
  return counted(count, rules.by_layout ? "layout" : "trial");
}

std::string why_inconclusive(const Index& index, const LookRules& rules, const CellState& cell,
                             const ComparisonState& state) {
  if (!cell.refused.empty()) return "not measured: " + cell.refused;
  if (index.plan().quick) return "a quick look gives no verdict";
  if (!cell.lost.empty() && !state.is_last_look) {
    return fmt::format("after {} it took part in no more: {}", counted(state.pairs.size(), "trial"),
                       cell.lost);
  }
  if (!state.look) {
    return fmt::format("{} {} and the first look needs {}", counted(state.pairs.size(), "trial"),
                       state.pairs.size() == 1 ? "counts" : "count",
                       units_text(rules, static_cast<std::size_t>(rules.looks.front())));
  }
  const stats::LookOutcome& outcome = *state.outcome;
  if (!outcome.interval) return outcome.interval.missing().detail;
  if (outcome.blocked_by_skewness) {
    return "the interval lies within the margin, but the differences are lopsided: rare slow "
           "trials of one side may be missing";
  }
  if (outcome.blocked_by_sign_flip) {
    return "the interval lies beyond the margin, but the sign-flip test does not agree";
  }
  if (outcome.blocked_by_unseen) {
    return fmt::format(
        "{} agree, but so few would not show rare slow ones of one side that could turn the "
        "verdict",
        units_text(rules, outcome.trials));
  }
  return fmt::format("the interval reaches across the margin at the {}look, {}",
                     state.is_last_look ? "last " : "", units_text(rules, outcome.trials));
}

Reading<double> model_ratio(const experiment::Cell& cell, std::size_t candidate) {
  const auto baseline_work = work_of(cell, 0);
  const auto candidate_work = work_of(cell, candidate);
  if (!baseline_work) return baseline_work.missing();
  if (!candidate_work) return candidate_work.missing();
  const double before = baseline_work->bytes_read + baseline_work->bytes_written;
  const double after = candidate_work->bytes_read + candidate_work->bytes_written;
  if (!(before > 0 && after > 0)) {
    return Missing{"not-declared", "the work model declares no bytes"};
  }
  return after / before;
}

void take_interval(ComparisonResult& result, const Reading<stats::Interval>& interval,
                   double alpha) {
  result.ratio_interval = interval.transform([](const stats::Interval& logs) {
    return Range{std::exp(logs.low), std::exp(logs.high)};
  });
  result.confidence_level = 1 - alpha;
}

void take_look(ComparisonResult& result, const ComparisonState& state) {
  const stats::LookOutcome& outcome = *state.outcome;
  result.verdict = outcome.verdict;
  result.ratio = outcome.mean.transform([](double mean) { return std::exp(mean); });
  take_interval(result, outcome.interval, state.interval_alpha);
  result.look = static_cast<std::int64_t>(outcome.trials);
  result.sd_log_ratio = outcome.standard_deviation;
  result.sign_flip_p = outcome.sign_flip_p;
  result.trials_needed = outcome.trials_needed.transform(
      [](double trials) { return static_cast<std::int64_t>(std::llround(trials)); });
}

ComparisonResult without_adjustment(const Index& index, const LookRules& rules,
                                    const CellState& cell, const ComparisonState& state) {
  const experiment::Comparison& of_plan = index.plan().comparisons[state.comparison];
  const experiment::Cell& in = index.plan().cells[of_plan.cell];
  ComparisonResult result;
  result.cell = in.id();
  result.baseline = in.subjects[0].text();
  result.candidate = in.subjects[of_plan.candidate].text();
  result.primary = state.primary;
  result.model_ratio = model_ratio(in, of_plan.candidate);
  if (of_plan.prediction) {
    const experiment::Prediction& prediction = index.plan().predictions.at(*of_plan.prediction);
    result.predicted_ratio = Range{prediction.ratio_low, prediction.ratio_high};
    result.predicted_probability = prediction.probability;
  }
  if (!state.validity.why_invalid.empty()) {
    result.verdict = Verdict::invalid;
    result.reason = state.validity.why_invalid;
    const Missing invalid{"invalid", "nothing is compared with what failed"};
    result.ratio = invalid;
    result.ratio_interval = invalid;
    return result;
  }
  result.trials = static_cast<std::int64_t>(state.pairs.size());
  if (state.look) {
    take_look(result, state);
  } else {
    // What was seen, for people: no look stands behind it, so there is no interval.
    std::vector<double> logs;
    for (const TrialPair& pair : state.pairs) logs.push_back(pair.log_ratio);
    if (!logs.empty()) result.ratio = std::exp(stats::mean(logs));
    result.ratio_interval = Missing{"no-look", "no look has been reached"};
  }
  if (result.verdict == Verdict::inconclusive) {
    result.reason = why_inconclusive(index, rules, cell, state);
  }
  return result;
}

// Repeated p of what the comparison claims, or could claim most nearly.
double repeated_p_of(const ComparisonState& state, std::size_t looks) {
  if (state.p_at_looks.empty()) return 1;
  const stats::RegionP& last = state.p_at_looks.back();
  Verdict region = state.outcome->verdict;
  if (region == Verdict::inconclusive) {
    region = last.faster <= last.slower ? Verdict::faster : Verdict::slower;
    if (last.equivalent < last.of(region)) region = Verdict::equivalent;
  }
  std::vector<double> p;
  for (const stats::RegionP& at_look : state.p_at_looks) p.push_back(at_look.of(region));
  return stats::repeated_p(p, looks);
}

PredictionOutcome outcome_of(const Range& predicted, const ComparisonResult& result) {
  const bool stands = result.verdict != Verdict::invalid && result.verdict != Verdict::void_;
  if (!stands || !result.ratio_interval) return PredictionOutcome::undecided;
  const Range& observed = *result.ratio_interval;
  if (observed.low >= predicted.low && observed.high <= predicted.high) {
    return PredictionOutcome::supported;
  }
  if (observed.low > predicted.high || observed.high < predicted.low) {
    return PredictionOutcome::contradicted;
  }
  return PredictionOutcome::undecided;
}

// Those that no prediction names, together: Benjamini–Hochberg on repeated p, and intervals widened
// for having been selected. Invalid, voided and unmeasured ones stay in the family with p = 1, so
// that what is left out never makes the rest easier.
void adjust(std::vector<ComparisonResult>& results, const Index& index, const LookRules& rules,
            const std::vector<CellState>& cells,
            const std::vector<const ComparisonState*>& states) {
  std::vector<std::size_t> others;
  std::vector<double> p;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].primary) continue;
    others.push_back(i);
    const bool stands =
        results[i].verdict != Verdict::invalid && !is_void(cells[index.plan().comparisons[i].cell]);
    p.push_back(stands ? repeated_p_of(*states[i], rules.looks.size()) : 1);
  }
  if (others.empty()) return;
  const std::vector<double> adjusted = stats::benjamini_hochberg(p);
  const auto is_selected = [&](std::size_t k) {
    return states[others[k]]->is_decided() && adjusted[k] <= rules.alpha && p[k] < 1;
  };
  std::size_t selected = 0;
  for (std::size_t k = 0; k < others.size(); ++k) selected += is_selected(k) ? 1U : 0U;

  for (std::size_t k = 0; k < others.size(); ++k) {
    ComparisonResult& result = results[others[k]];
    const ComparisonState& state = *states[others[k]];
    if (result.verdict == Verdict::invalid || !state.look) continue;
    result.repeated_p = p[k];
    result.adjusted_p = adjusted[k];
    if (!state.is_decided()) continue;
    if (is_selected(k)) {
      const double level = stats::selected_confidence_level(selected, others.size(), rules.alpha);
      const double alpha = stats::level_per_look(1 - level, rules.looks.size());
      const std::size_t cell = index.plan().comparisons[others[k]].cell;
      take_interval(result, outcome_at(index, rules, cell, state, *state.look, alpha).interval,
                    alpha);
    } else if (!is_void(cells[index.plan().comparisons[others[k]].cell])) {
      result.reason = fmt::format(
          "{} by itself, but it does not stand among the {} comparisons that no prediction names "
          "(adjusted p {:.2g})",
          stats::to_string(result.verdict), others.size(), adjusted[k]);
      result.verdict = Verdict::inconclusive;
    }
  }
}

}  // namespace

std::vector<ComparisonResult> comparison_results(const Index& index, const LookRules& rules,
                                                 const std::vector<CellState>& cells,
                                                 bool provisional) {
  std::vector<ComparisonResult> results(index.plan().comparisons.size());
  std::vector<const ComparisonState*> states(results.size());
  for (const CellState& cell : cells) {
    for (const ComparisonState& state : cell.comparisons) {
      states[state.comparison] = &state;
      results[state.comparison] = without_adjustment(index, rules, cell, state);
    }
  }
  adjust(results, index, rules, cells, states);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ComparisonResult& result = results[i];
    const CellState& cell = cells[index.plan().comparisons[i].cell];
    result.provisional = provisional && !result.primary;
    if (is_void(cell) && result.verdict != Verdict::invalid) {
      const double bias = std::exp(stats::mean(cell.control_look->differences));
      result.verdict = Verdict::void_;
      result.reason = fmt::format(
          "the baseline measured a second time took {}× its own time: the experiment itself is "
          "biased in this cell",
          ratio_text(bias));
    }
    if (result.predicted_ratio) result.prediction = outcome_of(*result.predicted_ratio, result);
    result.score = score_of(result);
    if (states[i]->look) result.sensitivity = sensitivity_of(rules, *states[i], result.verdict);
  }
  return results;
}

}  // namespace assay::judge::detail
