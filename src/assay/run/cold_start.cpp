// SPDX-License-Identifier: MIT
#include "assay/run/cold_start.hpp"

#include <algorithm>

#include "assay/base/random.hpp"
#include "assay/base/time.hpp"
#include "assay/run/timed_check.hpp"

namespace assay::run {
namespace {

using experiment::Cell;

// In the order of the plan, whoever has dropped out: so that what is drawn is the same for all.
std::size_t slot_of(const Cell& cell, const experiment::Plan& plan, const Contender& contender) {
  if (contender.name == experiment::control_name) return cell.subjects.size();
  const experiment::SubjectId id{plan.builds[contender.build].name, contender.name};
  return static_cast<std::size_t>(std::find(cell.subjects.begin(), cell.subjects.end(), id) -
                                  cell.subjects.begin());
}

bool is_alive(const Session& session, std::size_t cell, const Contender& contender) {
  const auto alive = contenders(session, cell);
  return std::any_of(alive.begin(), alive.end(), [&](const Contender& each) {
    return each.build == contender.build && each.name == contender.name;
  });
}

std::vector<std::string> of_code(const Session& session, std::size_t cell,
                                 const Contender& contender) {
  const bool is_control = contender.name == experiment::control_name;
  return {is_control ? session.plan().cells[cell].subjects.front().name : contender.name};
}

// One process: started, made ready for this subject alone, asked for its first call, and ended.
BlockOutcome one_process(Session& session, std::int64_t trial, const Contender& contender,
                         const BlockRequest& request) {
  BlockOutcome outcome;
  auto started =
      Crew::start(session, trial,
                  {session.plan().cells[request.cell].boundary, contender.build, contender.name});
  if (const auto* step = std::get_if<Step>(&started)) {
    outcome.step = *step;
    return outcome;
  }
  Crew& crew = std::get<Crew>(started);
  const PreparedCell prepared =
      prepare_cell(session, crew, request.cell, of_code(session, request.cell, contender));
  outcome.step = prepared.step;
  if (outcome.step != Step::done) return outcome;
  if (is_alive(session, request.cell, contender)) {
    outcome = run_block(session, crew, request, {contender});
    if (outcome.step != Step::done) return outcome;
    if (request.keep_outputs && outcome.call_ns.front() &&
        contender.name != experiment::control_name) {
      outcome.step = check_cell(session, crew, request.cell, "timed", 0, {contender.name});
      if (outcome.step != Step::done) return outcome;
    }
  }
  crew.end();
  return outcome;
}

Reading<PhaseTime> plausible(const Reading<PhaseTime>& time, std::int64_t first_ns,
                             std::int64_t last_ns) {
  if (!time) return time;
  const double end_ns = static_cast<double>(time->start_ns) + time->interval_ns;
  if (time->start_ns >= first_ns && end_ns <= static_cast<double>(last_ns)) return time;
  return Missing{no_phase::implausible, "the parent's own clock does not allow it"};
}

}  // namespace

Startup startup_of(const wire::StartupTold& told, std::int64_t first_ns, std::int64_t last_ns,
                   bool has_own_clock) {
  Startup startup = told.phases;
  startup[StartupPhase::start] =
      told.began_ns < first_ns
          ? Reading<PhaseTime>(Missing{no_phase::implausible,
                                       "the worker says that it began before it was started"})
          : PhaseTime{first_ns, static_cast<double>(told.began_ns - first_ns)};
  for (std::size_t i = 0; i < startup_phases; ++i) {
    const auto phase = static_cast<StartupPhase>(i);
    if (has_own_clock && phase == StartupPhase::call) continue;
    startup[phase] = plausible(startup[phase], first_ns, last_ns);
  }
  return startup;
}

void keep_startup(Session& session, const Crew& crew, std::size_t build,
                  const std::optional<wire::StartupTold>& told) {
  Startup startup;
  if (told) {
    startup = startup_of(*told, crew.launched_ns(build), monotonic_ns(),
                         session.plan().device.starts_with("fake"));
  }
  for (std::size_t i = 0; i < startup_phases; ++i) {
    const auto phase = static_cast<StartupPhase>(i);
    session.add(record::StartupRow{crew.trial(), crew.process_of(build), phase, startup[phase]});
  }
}

Step measure_cold_cell(Session& session, std::int64_t trial, std::size_t cell,
                       const judge::Index& index) {
  const Cell& planned = session.plan().cells[cell];
  const auto number = static_cast<std::uint32_t>(trial);
  Random random(session.key({"order", "measure", std::to_string(trial), planned.id(), "0"}));
  std::vector<std::size_t> order = random.permutation(planned.subjects.size() + 1);
  BlockRequest request;
  request.cell = cell;
  request.keep_outputs = outputs_are_checked(session, cell, trial, 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto all = contenders(session, cell);
    const auto next = std::find_if(all.begin(), all.end(), [&](const Contender& each) {
      return slot_of(planned, session.plan(), each) == order[place];
    });
    if (next == all.end() || index.is_measured(cell, order[place], number)) continue;
    if (session.hooks.interrupted()) return Step::interrupted;
    if (session.budget_is_spent()) return Step::budget_spent;
    request.first_position = static_cast<std::uint32_t>(place);
    const BlockOutcome outcome = one_process(session, trial, *next, request);
    // Who was lost has dropped out; the next process knows nothing of it.
    if (outcome.step != Step::done && outcome.step != Step::worker_lost) return outcome.step;
  }
  if (session.has_timed_checks(cell)) session.checked_timed.insert(cell);
  return Step::done;
}

BlockOutcome first_call(Session& session, std::size_t cell, const Contender& contender,
                        std::int64_t block) {
  BlockRequest request;
  request.cell = cell;
  request.phase = record::Phase::calibration;
  request.block = block;
  return one_process(session, 0, contender, request);
}

}  // namespace assay::run
