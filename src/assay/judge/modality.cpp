// SPDX-License-Identifier: MIT
//
// What several modes ask for: both estimands. The flag itself changes no verdict.
#include "assay/stats/modality.hpp"

#include <algorithm>
#include <cmath>

#include "assay/judge/parts.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

bool has_several_modes(const SubjectResult& subject) {
  return subject.modality && subject.modality->several;
}

OtherEstimand by_other_estimand(const ComparisonResult& result, const Index& index,
                                const LookRules& rules, std::size_t cell,
                                const ComparisonState& state, stats::Estimand other) {
  OtherEstimand of_other;
  of_other.estimand = stats::to_string(other);
  const auto as_ratio = [](double log_ratio) { return std::exp(log_ratio); };
  if (!state.look) {
    std::vector<double> logs;
    for (const TrialPair& pair : state.pairs) {
      logs.push_back(index.log_ratio(cell, state.slot, pair, other));
    }
    if (!logs.empty()) of_other.ratio = as_ratio(stats::mean(logs));
    of_other.ratio_interval = Missing{"no-look", "no look has been reached"};
    return of_other;
  }
  const LookData look = look_by(index, rules, cell, state, *state.look, other);
  const stats::LookOutcome outcome =
      outcome_at(index, rules, cell, state, look, 1 - result.confidence_level);
  of_other.ratio = outcome.mean.transform(as_ratio);
  of_other.ratio_interval = outcome.interval.transform([&](const stats::Interval& logs) {
    return Range{as_ratio(logs.low), as_ratio(logs.high)};
  });
  return of_other;
}

}  // namespace

Reading<ModalityResult> modality_result(const std::vector<std::vector<double>>& call_ns,
                                        const Reading<double>& step_ns, std::uint64_t seed,
                                        stats::ModeFinder& find_modes) {
  const std::vector<std::span<const double>> trials(call_ns.begin(), call_ns.end());
  return stats::modality(trials, step_ns, seed, find_modes)
      .transform([](const stats::Modality& modality) {
        ModalityResult result{.several = modality.several(),
                              .seen = std::string(stats::to_string(modality.seen)),
                              .p_within = modality.p_within,
                              .p_between = modality.p_between,
                              .p_pooled = modality.p_pooled,
                              .modes = {}};
        for (const stats::Mode& mode : modality.modes) {
          result.modes.push_back({mode.location, {mode.low, mode.high}, mode.share_frac});
        }
        return result;
      });
}

void add_estimands(Result& result, const Index& index, const LookRules& rules,
                   const std::vector<CellState>& states) {
  for (std::size_t cell = 0; cell < states.size(); ++cell) {
    const stats::Estimand own = index.estimand(cell);
    const auto other =
        own == stats::Estimand::mean ? stats::Estimand::median : stats::Estimand::mean;
    const std::vector<SubjectResult>& subjects = result.cells[cell].subjects;
    for (const ComparisonState& state : states[cell].comparisons) {
      ComparisonResult& comparison = result.comparisons[state.comparison];
      comparison.estimand = stats::to_string(own);
      const bool several =
          std::any_of(subjects.begin(), subjects.end(), [&](const SubjectResult& subject) {
            return has_several_modes(subject) && (subject.subject == comparison.baseline ||
                                                  subject.subject == comparison.candidate);
          });
      if (!several || state.pairs.empty()) continue;
      comparison.other_estimand = by_other_estimand(comparison, index, rules, cell, state, other);
    }
  }
}

}  // namespace assay::judge::detail
