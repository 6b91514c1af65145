// SPDX-License-Identifier: MIT
//
// The second opinion: would ranks say something else than means?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/robust.hpp"
#include "assay/stats/signed_rank.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

bool excludes(const stats::Interval& interval, stats::Verdict claimed, double theta) {
  switch (claimed) {
    case stats::Verdict::slower:
      return interval.high <= theta;
    case stats::Verdict::faster:
      return interval.low >= -theta;
    case stats::Verdict::equivalent:
      return interval.low >= theta || interval.high <= -theta;
    default:
      return false;
  }
}

}  // namespace

Sensitivity sensitivity_of(const LookRules& rules, const ComparisonState& state,
                           stats::Verdict verdict) {
  const std::vector<double>& differences = state.look->differences;
  const double centre = stats::hodges_lehmann(differences);
  Sensitivity result;
  result.ratio = std::exp(centre);
  result.confidence_level = 1 - rules.other_alpha;
  if (stats::differences_tie(differences)) {
    const Missing tie{"no-spread", "all differences tie: they have no ranks"};
    result.ratio_interval = tie;
    result.wilcoxon_p = tie;
    return result;
  }
  const double mean = stats::mean(differences);
  if (std::abs(mean) > rules.theta) {
    result.wilcoxon_p =
        stats::signed_rank(differences, std::copysign(rules.theta, mean))
            .transform([](const stats::SignedRank& test) { return test.p_two_sided; });
  } else {
    result.wilcoxon_p = Missing{"within-margin", "the mean lies within the margin"};
  }
  auto interval = stats::hodges_lehmann_interval(differences, result.confidence_level);
  if (!interval) {
    result.ratio_interval = interval.missing();
    return result;
  }
  // Ranks know nothing of the timer's step either.
  const auto& floor = state.outcome->resolution_half_width;
  const double half = floor ? *floor : 0;
  const stats::Interval logs{std::min(interval->low, centre - half),
                             std::max(interval->high, centre + half)};
  result.ratio_interval = Range{std::exp(logs.low), std::exp(logs.high)};
  result.verdict = stats::region_of(logs, rules.theta);
  result.disagrees = excludes(logs, verdict, rules.theta);
  return result;
}

void add_disagreements(std::vector<Finding>& findings, const Result& result) {
  for (const ComparisonResult& comparison : result.comparisons) {
    if (!comparison.sensitivity || !comparison.sensitivity->disagrees) continue;
    const Range& interval = *comparison.sensitivity->ratio_interval;
    findings.push_back(
        {"estimate.disagrees",
         fmt::format("{} is {} by the mean of its trials, and by ranks the ratio lies from {} to "
                     "{}: a few trials far from the rest decide which.",
                     comparison.candidate, stats::to_string(comparison.verdict),
                     ratio_text(interval.low), ratio_text(interval.high)),
         comparison.cell});
  }
}

}  // namespace assay::judge::detail
