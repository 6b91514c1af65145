// SPDX-License-Identifier: MIT
#include "assay/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/counted.hpp"
#include "assay/base/helpers.hpp"
#include "assay/env/fitness.hpp"
#include "assay/judge/canaries.hpp"
#include "assay/judge/ceilings.hpp"
#include "assay/judge/device.hpp"
#include "assay/judge/dimensions.hpp"
#include "assay/judge/launches.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/seen_together.hpp"
#include "assay/judge/startup.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge {
namespace {

constexpr std::uint32_t kAllTrials = std::numeric_limits<std::uint32_t>::max();

// Calls work(first, last) for ranges of cells, on several cores: what is computed of a cell depends
// on that cell alone. A thread costs tens of microseconds, and a cell is judged in a few
// milliseconds at most.
template <typename Work>
void share_cells(std::size_t cells, const Work& work) {
  constexpr std::int64_t fewest_for_a_thread = 16;
  Helpers::of_this_thread(64).share(static_cast<std::int64_t>(cells), fewest_for_a_thread,
                                    [&](std::int64_t first, std::int64_t last) {
                                      work(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(last));
                                    });
}

std::vector<CellState> states_of(const Index& index, const LookRules& rules,
                                 const record::Checks& checks,
                                 std::vector<std::vector<Validity>>& validity) {
  validity = validity_of(index.plan(), checks);
  detail::refuse_impossible(index, validity);
  const auto by_cell = comparisons_by_cell(index.plan());
  const std::vector<std::string> lost = lost_cells(index.plan(), checks);
  std::vector<CellState> states(by_cell.size());
  share_cells(by_cell.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      states[i] = cell_state(index, rules, i, by_cell[i], validity[i], lost[i]);
    }
  });
  return states;
}

// The newest trial that a look of the cell saw; later ones are kept and not used.
std::uint32_t last_trial_of(const CellState& state) {
  std::uint32_t last = 0;
  for (const ComparisonState& comparison : state.comparisons) {
    if (comparison.look) last = std::max(last, comparison.look->last_trial);
  }
  if (state.precision && state.precision->look) {
    last = std::max(last, state.precision->look->last_trial);
  }
  return last == 0 ? kAllTrials : last;
}

ControlResult control_result(const CellState& state) {
  ControlResult result;
  if (!state.control) {
    const Missing missing{"no-look", "no look has been reached"};
    result.ratio = missing;
    result.interval_adjusted = missing;
    return result;
  }
  result.ratio = std::exp(stats::mean(state.control_look->differences));
  result.interval_adjusted = state.control->interval.transform([](const stats::Interval& logs) {
    return Range{std::exp(logs.low), std::exp(logs.high)};
  });
  result.voids = state.control->voids;
  result.is_finding = state.control->suspicious;
  return result;
}

PrecisionResult precision_result(const PrecisionState& state) {
  PrecisionResult result;
  result.interval_ns = state.interval_ns.transform([](const stats::Interval& interval) {
    return Range{interval.low, interval.high};
  });
  result.confidence_level = state.look ? state.confidence_level : 0;
  result.relative_half_width = state.relative_half_width;
  result.is_reached = state.is_reached;
  result.look = state.look ? static_cast<std::int64_t>(state.look->differences.size()) : 0;
  return result;
}

std::optional<MemoryUse> memory_of(const experiment::CellCalibration* calibration,
                                   const std::string& subject) {
  if (calibration == nullptr) return std::nullopt;
  for (const auto& [name, use] : calibration->memory) {
    if (name == subject) return use;
  }
  return std::nullopt;
}

CellResult cell_result(const Index& index, const LookRules& rules, std::size_t cell,
                       const CellState& state, const std::vector<Validity>& validity,
                       stats::ModeFinder& find_modes) {
  const experiment::Cell& of_plan = index.plan().cells[cell];
  const experiment::CellCalibration* calibration = index.calibration(cell);
  CellResult result;
  result.cell = of_plan.id();
  result.refused = state.refused;
  result.left = state.is_done && state.refused.empty();
  const bool by_mean =
      calibration != nullptr && calibration->estimand == experiment::Estimand::mean;
  result.estimand = by_mean ? "mean" : "median";
  if (calibration != nullptr && calibration->iterations) {
    result.iterations = *calibration->iterations;
  }
  const std::uint32_t last_trial = last_trial_of(state);
  const std::size_t control = index.control_slot(cell);
  for (std::size_t slot = 0; slot < control; ++slot) {
    result.subjects.push_back(
        detail::subject_result(index, cell, slot, validity[slot], last_trial, find_modes));
    result.subjects.back().memory = memory_of(calibration, result.subjects.back().subject);
    result.subjects.back().launches =
        detail::launches_of(index.plan(), calibration, result.subjects.back().subject);
    if (slot > 0) continue;
    Validity of_control = validity[0];
    if (!of_control.why_invalid.empty()) {
      of_control.why_invalid = "it is the baseline's code: " + of_control.why_invalid;
    }
    result.subjects.push_back(
        detail::subject_result(index, cell, control, of_control, last_trial, find_modes));
  }
  result.control = control_result(state);
  result.steadiness = detail::steadiness_of(index, cell, validity, rules.theta, last_trial);
  if (state.precision) result.precision = precision_result(*state.precision);
  result.dimensions = detail::dimensions_of(index.plan(), of_plan);
  return result;
}

bool nothing_measured(const std::vector<CellResult>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const CellResult& cell) {
    return std::all_of(cell.subjects.begin(), cell.subjects.end(),
                       [](const SubjectResult& subject) { return subject.trials == 0; });
  });
}

std::string status_of(const experiment::Plan& plan, const Result& result, Ending ending) {
  if (ending == Ending::interrupted) return "interrupted";
  if (nothing_measured(result.cells)) return "nothing-measured";
  if (plan.quick) return "quick";
  return ending == Ending::complete ? "complete" : "budget-spent";
}

std::string hypothesis_of(const experiment::Plan& plan) {
  if (plan.question.hypothesis.empty()) return "undecided: no hypothesis was registered";
  return "undecided: a hypothesis names a cause, and what it says about the cause has not been "
         "measured; times alone cannot decide it";
}

std::vector<std::string> left_out_of(const Index& index, const std::vector<CellState>& states) {
  std::vector<std::string> sentences = index.left_out();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string id = index.plan().cells[i].id();
    if (!states[i].refused.empty()) {
      sentences.push_back(fmt::format("{}: not measured: {}", id, states[i].refused));
      continue;
    }
    for (const std::string& subject : index.plan().cells[i].unsupported) {
      sentences.push_back(fmt::format("{}: {} does not support this case", id, subject));
    }
    if (!states[i].lost.empty()) {
      sentences.push_back(fmt::format("{}: no further trials after {}", id, states[i].lost));
    }
    const std::uint32_t last = last_trial_of(states[i]);
    const auto later = std::count_if(states[i].control_pairs.begin(), states[i].control_pairs.end(),
                                     [&](const TrialPair& pair) { return pair.trial > last; });
    if (later > 0) {
      sentences.push_back(
          fmt::format("{}: {} after its look at trial {}", id, counted(later, "trial"), last));
    }
  }
  if (index.unanalysed_samples() > 0) {
    sentences.push_back(
        fmt::format("{} of calibration and warm-up, which are kept and never analysed",
                    counted(index.unanalysed_samples(), "sample")));
  }
  return sentences;
}

}  // namespace

Result judge(const record::Evidence& evidence, const Index& index, Ending ending) {
  ASSAY_EXPECTS(&index.plan() == &evidence.plan);
  const LookRules rules = look_rules_of(evidence.plan);
  std::vector<std::vector<Validity>> validity;
  const std::vector<CellState> states = states_of(index, rules, evidence.checks, validity);

  Result result;
  result.method = experiment::method_version;
  result.cells.resize(states.size());
  share_cells(states.size(), [&](std::size_t first, std::size_t last) {
    stats::ModeFinder find_modes;
    for (std::size_t i = first; i < last; ++i) {
      result.cells[i] = cell_result(index, rules, i, states[i], validity[i], find_modes);
    }
  });
  result.comparisons =
      detail::comparison_results(index, rules, states, ending == Ending::interrupted);
  detail::add_advice(result.cells, evidence, states);
  std::vector<std::uint32_t> last_trials;
  for (const CellState& state : states) last_trials.push_back(last_trial_of(state));
  detail::add_startup(result.cells, evidence, last_trials);
  result.suites = detail::suites_of(index, rules, states, result);
  if (!evidence.plan.predictions.empty()) {
    result.predictions = review_predictions(result.comparisons);
  }
  detail::add_estimands(result, index, rules, states);
  result.status = status_of(evidence.plan, result, ending);
  result.gate = detail::gate_power(evidence.checks);
  result.hypothesis = hypothesis_of(evidence.plan);
  result.canaries = detail::canaries_of(evidence);
  result.device = detail::device_of(evidence);
  if (evidence.environment) {
    result.machine = env::summary(env::fitness_of(*evidence.environment));
  }
  result.findings = detail::findings_of(evidence, states, result);
  for (std::size_t i = 0; i < states.size(); ++i) {
    detail::add_of_steadiness(result.findings, index, states[i], result.cells[i], i);
  }
  detail::add_seen_together(result.findings, evidence, index, result.cells);
  result.claims = detail::claims_of(evidence, result);
  result.left_out = left_out_of(index, states);
  result.exit_status = detail::exit_status_of(evidence, states, result, ending);
  return result;
}

Result judge(const record::Evidence& evidence, Ending ending) {
  Index index(evidence.plan, evidence.calibration);
  index.update(evidence.samples);
  return judge(evidence, index, ending);
}

Progress progress(const Index& index, const record::Checks& checks) {
  std::vector<std::vector<Validity>> validity;
  const std::vector<CellState> states =
      states_of(index, look_rules_of(index.plan()), checks, validity);
  Progress result;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].is_done) result.open_cells.push_back(i);
    for (const ComparisonState& comparison : states[i].comparisons) {
      ++result.comparisons;
      if (comparison.is_decided() || !comparison.validity.why_invalid.empty()) ++result.decided;
    }
  }
  return result;
}

Progress progress(const record::Evidence& evidence) {
  Index index(evidence.plan, evidence.calibration);
  index.update(evidence.samples);
  return progress(index, evidence.checks);
}

}  // namespace assay::judge
