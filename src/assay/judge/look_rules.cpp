// SPDX-License-Identifier: MIT
#include "assay/judge/look_rules.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/stats/multiplicity.hpp"

namespace assay::judge {

LookRules look_rules_of(const experiment::Plan& plan) {
  ASSAY_EXPECTS(!plan.protocol.looks.empty());
  LookRules rules;
  rules.theta = std::log1p(plan.margin_in_force());
  rules.looks = plan.protocol.looks;
  rules.by_layout = plan.layout_replicates > 1;
  if (rules.by_layout) {
    std::erase_if(rules.looks, [&](std::int64_t look) { return look > plan.layout_replicates; });
    if (rules.looks.empty()) rules.looks = plan.protocol.looks;
  }
  std::sort(rules.looks.begin(), rules.looks.end());
  rules.alpha = plan.protocol.alpha;
  rules.primaries = plan.primaries();
  const std::size_t looks = rules.looks.size();
  rules.other_alpha = stats::level_per_look(rules.alpha, looks);
  rules.primary_alpha =
      stats::level_per_look(rules.alpha, looks, std::max<std::size_t>(1, rules.primaries));
  rules.control_alpha = rules.other_alpha;
  rules.control_shared_alpha =
      stats::level_per_look(rules.alpha, looks, std::max<std::size_t>(1, plan.cells.size()));
  return rules;
}

}  // namespace assay::judge
