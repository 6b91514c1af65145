// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/judge/parts.hpp"
#include "assay/judge/validity.hpp"

namespace assay::judge::detail {
namespace {

using stats::Verdict;

bool any_verdict(const Result& result, Verdict verdict) {
  return std::any_of(result.comparisons.begin(), result.comparisons.end(),
                     [&](const ComparisonResult& c) { return c.verdict == verdict; });
}

template <typename Predicate>
bool any_validity(const std::vector<CellState>& states, Predicate predicate) {
  for (const CellState& state : states) {
    for (const ComparisonState& comparison : state.comparisons) {
      if (predicate(comparison.validity)) return true;
    }
    if (state.precision && predicate(state.precision->validity)) return true;
  }
  return false;
}

// Whether a worker failed where no subject is to blame, and something stayed undecided for it: in a
// cell that took no further part, or where the failure is of no cell, was not overcome, and no look
// was reached.
bool failure_prevented_a_verdict(const record::Evidence& evidence,
                                 const std::vector<CellState>& states) {
  const bool of_no_cell =
      std::any_of(evidence.checks.failures.begin(), evidence.checks.failures.end(),
                  [&](const experiment::Failure& f) {
                    return f.subject.empty() && f.cell.empty() && !was_overcome(f, evidence.trials);
                  });
  const auto stopped = [&](const CellState& cell, bool has_look, bool is_last_look) {
    return (!cell.lost.empty() && !is_last_look) || (of_no_cell && !has_look);
  };
  for (const CellState& state : states) {
    for (const ComparisonState& c : state.comparisons) {
      if (!c.validity.why_invalid.empty() || c.is_decided()) continue;
      if (stopped(state, c.look.has_value(), c.is_last_look)) return true;
    }
    const auto& p = state.precision;
    if (!p || !p->validity.why_invalid.empty() || p->is_reached) continue;
    if (stopped(state, p->look.has_value(), p->is_last_look)) return true;
  }
  return states.empty() && of_no_cell;
}

}  // namespace

int exit_status_of(const record::Evidence& evidence, const std::vector<CellState>& states,
                   const Result& result, Ending ending) {
  const bool quick = evidence.plan.quick;
  const bool wrong = any_validity(
      states, [](const Validity& v) { return !v.why_invalid.empty() && !v.by_worker; });
  if (ending == Ending::interrupted) return 130;
  if (any_validity(states, [](const Validity& v) { return v.by_worker; })) return 5;
  // A quick look asks for no verdict, so only an empty one was prevented from anything.
  if ((!quick || result.status == "nothing-measured") &&
      failure_prevented_a_verdict(evidence, states)) {
    return 5;
  }
  // Where wrong output is the reason why nothing was timed, that is what to say.
  if (result.status == "nothing-measured" && !wrong) return 3;
  if (wrong) return 12;
  if (quick) return 0;
  if (any_verdict(result, Verdict::slower)) return 10;
  const bool control_void = std::any_of(result.cells.begin(), result.cells.end(),
                                        [](const CellResult& c) { return c.control.voids; });
  if (control_void) return 13;
  const bool imprecise =
      std::any_of(result.cells.begin(), result.cells.end(), [](const CellResult& c) {
        return c.precision && (!c.precision->is_reached || c.steadiness.has_drifted());
      });
  if (any_verdict(result, Verdict::inconclusive) || imprecise) return 11;
  return 0;
}

}  // namespace assay::judge::detail
