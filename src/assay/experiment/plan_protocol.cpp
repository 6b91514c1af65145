// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/planning.hpp"

namespace assay::experiment::detail {
namespace {

// For one subject on the light path: half of the strictest margin that is in use.
constexpr double default_precision = 0.005;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void resolve_boundaries(const Experiment& experiment, Plan& plan) {
  auto& boundaries = plan.protocol.boundaries;
  for (const ProgramDescription& description : plan.descriptions) {
    if (description.boundaries.empty()) {
      throw Error(ErrorKind::worker,
                  "the program " + description.program + " described no boundary of its device");
    }
    if (boundaries.empty()) boundaries = {description.boundaries.front()};
    for (const std::string& boundary : boundaries) {
      if (contains(description.boundaries, boundary)) continue;
      throw Error(ErrorKind::bad_input,
                  experiment.place_of("protocol.boundary") + ": '" + boundary +
                      "' is not supported by this version on the "
                      "device " +
                      description.device.id + "; expected " + joined(description.boundaries));
    }
  }
}

bool is_default(const Plan& plan, std::string_view key) {
  const auto& keys = plan.defaults_used;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// A first call has nothing before it that a state could be made by: where there are only first
// calls, `state` has one meaning.
void resolve_states(const Experiment& experiment, Plan& plan) {
  auto& states = plan.protocol.states;
  if (plan.quick && states.size() > 1) states.resize(1);
  const auto& boundaries = plan.protocol.boundaries;
  const bool has_only_first_calls =
      std::all_of(boundaries.begin(), boundaries.end(),
                  [](const std::string& boundary) { return boundary == cold_start_boundary; });
  if (!has_only_first_calls) return;
  const std::vector<std::string> fresh{std::string(fresh_state)};
  if (!is_default(plan, "protocol.state") && states != fresh) {
    throw Error(ErrorKind::bad_input,
                experiment.place_of("protocol.state") +
                    ": the boundary \"cold-start\" has no state " + joined(states) +
                    ": nothing is done before the first call of a process; expected \"fresh\", or "
                    "no `state` at all");
  }
  states = fresh;
}

// Names of the timers that serve a boundary, the default first.
std::vector<std::string> timers_for(const ProgramDescription& description,
                                    const std::string& boundary) {
  std::vector<std::string> names;
  for (const TimerDescription& timer : description.timers) {
    if (timer.serves(boundary)) names.push_back(timer.name);
  }
  return names;
}

void resolve_timer(const Experiment& experiment, Plan& plan) {
  for (const ProgramDescription& description : plan.descriptions) {
    std::vector<std::string> names;
    for (const std::string& boundary : plan.protocol.boundaries) {
      const auto some = timers_for(description, boundary);
      if (some.empty()) {
        throw Error(ErrorKind::worker, "the program " + description.program +
                                           " described no timer for the boundary " + boundary);
      }
      names.insert(names.end(), some.begin(), some.end());
    }
    if (plan.protocol.timer.empty()) plan.protocol.timer = names.front();
    if (contains(names, plan.protocol.timer)) continue;
    throw Error(ErrorKind::bad_input, experiment.place_of("protocol.timer") + ": the device " +
                                          description.device.id + " has no timer '" +
                                          plan.protocol.timer + "'; expected one of " +
                                          joined(names));
  }
}

void check_states(const Experiment& experiment, const Plan& plan,
                  const ProblemDescription& problem) {
  for (const auto& [state, boundary] :
       states_and_boundaries(plan.protocol.states, plan.protocol.boundaries)) {
    if (boundary == cold_start_boundary) continue;
    const std::string place = experiment.place_of("protocol.state");
    if (!contains(problem.states, state)) {
      throw Error(ErrorKind::bad_input, place + ": the problem " + problem.name +
                                            " has no state '" + state + "'; expected some of " +
                                            joined(problem.states));
    }
    if ((state == "cold" || state == "rotate") && !problem.has_tensors) {
      const std::string cannot = state == "cold" ? " cannot be cold: it declares no tensors, so "
                                                   "there is nothing to flush; "
                                                 : " cannot rotate: it declares no tensors, so "
                                                   "there is nothing to go around; ";
      throw Error(ErrorKind::bad_input,
                  place + ": the problem " + problem.name + cannot +
                      "expected \"warm\", or inputs and outputs that the library owns");
    }
  }
}

}  // namespace

std::string timer_of(const Plan& plan, const std::string& boundary) {
  const auto names = timers_for(plan.descriptions.front(), boundary);
  ASSAY_EXPECTS(!names.empty());
  return contains(names, plan.protocol.timer) ? plan.protocol.timer : names.front();
}

void resolve_protocol(const Experiment& experiment, Plan& plan) {
  resolve_boundaries(experiment, plan);
  resolve_states(experiment, plan);
  resolve_timer(experiment, plan);
  for (const ProblemDescription& problem : plan.descriptions.front().problems) {
    if (problem.subjects.empty() || problem.cases.empty()) continue;
    check_states(experiment, plan, problem);
  }
}

void resolve_precision(const Experiment& experiment, Plan& plan) {
  bool has_single = false;
  for (const ProblemDescription& problem : plan.descriptions.front().problems) {
    const bool is_measured =
        std::any_of(plan.cells.begin(), plan.cells.end(),
                    [&](const Cell& cell) { return cell.problem == problem.name; });
    if (!is_measured) continue;
    if (plan.protocol.precision || subjects_of(experiment, plan, problem).size() > 1) continue;
    const bool is_light = experiment.file.empty() || experiment.quick;
    if (!is_light) {
      throw Error(ErrorKind::bad_input,
                  experiment.place_of("protocol.precision") + ": missing: the problem " +
                      problem.name +
                      " has one subject, so nothing is compared; expected the relative half-width "
                      "to stop at, such as precision = 0.005, or a second subject");
    }
    has_single = true;
  }
  if (has_single) {
    plan.protocol.precision = default_precision;
    plan.defaults_used.emplace_back("protocol.precision");
  }
}

}  // namespace assay::experiment::detail
