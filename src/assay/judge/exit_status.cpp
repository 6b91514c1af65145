// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/judge/parts.hpp"

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

// Whether a process failed where no subject is to blame and a comparison (or a cell of one subject)
// came to no look because of it.
bool failure_prevented_a_verdict(const record::Evidence& evidence,
                                 const std::vector<CellState>& states) {
  const auto has_failure = [&](const std::string& cell) {
    return std::any_of(evidence.checks.failures.begin(), evidence.checks.failures.end(),
                       [&](const experiment::Failure& failure) {
                         return failure.subject.empty() &&
                                failure.kind != experiment::failure::too_short &&
                                (failure.cell.empty() || failure.cell == cell);
                       });
  };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const CellState& state = states[i];
    const bool no_look = std::any_of(state.comparisons.begin(), state.comparisons.end(),
                                     [](const ComparisonState& c) {
                                       return !c.look && c.validity.why_invalid.empty();
                                     }) ||
                         (state.precision && !state.precision->look &&
                          state.precision->validity.why_invalid.empty());
    if (no_look && has_failure(evidence.plan.cells[i].id())) return true;
  }
  return states.empty() && !evidence.checks.failures.empty();
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
      std::any_of(result.cells.begin(), result.cells.end(),
                  [](const CellResult& c) { return c.precision && !c.precision->is_reached; });
  if (any_verdict(result, Verdict::inconclusive) || imprecise) return 11;
  return 0;
}

}  // namespace assay::judge::detail
